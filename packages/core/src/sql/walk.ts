import type { SqlNode, SqlText } from './syntax-tree.js'

/** Every node, outer ones before what is in them. */
export function* nodesIn(text: SqlText): Generator<SqlNode> {
  for (const node of text) {
    yield node
    for (const inner of partsOf(node)) yield* nodesIn(inner)
  }
}

export function partsOf(node: SqlNode): readonly SqlText[] {
  switch (node.kind) {
    case 'call':
      return node.args
    case 'cast':
      return [node.operand]
    case 'group':
      return node.parts
    default:
      return []
  }
}

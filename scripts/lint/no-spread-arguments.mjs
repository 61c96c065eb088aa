// A rule of the linter: no list is spread into the arguments of what takes lists. Each item becomes an entry of the stack, so
// that some 125,000 of them end in "Maximum call stack size exceeded", and how long a list gets is mostly for a user, a
// database or a file to say. Tuples that are passed on as arguments are not such lists.

const METHODS = new Set([
  'push',
  'unshift',
  'splice',
  'concat',
  'max',
  'min',
  'hypot',
  'fromCharCode',
  'fromCodePoint',
])

/** Whether the name is a rest parameter of a function around the call: so many arguments were passed before. */
function isRest(node, name) {
  for (let scope = node.parent; scope; scope = scope.parent) {
    const last = scope.params?.at(-1)
    if (last?.type === 'RestElement' && last.argument.name === name) return true
  }
  return false
}

// oxlint-disable-next-line import/no-default-export -- A plugin of the linter is one.
export default {
  meta: { name: 'isotherm' },
  rules: {
    'no-spread-arguments': {
      create: (context) => ({
        CallExpression(node) {
          const { callee } = node
          if (callee.type !== 'MemberExpression' || !METHODS.has(callee.property.name)) return
          for (const each of node.arguments) {
            if (each.type !== 'SpreadElement') continue
            const { argument } = each
            if (argument.type === 'Identifier' && isRest(node, argument.name)) continue
            context.report({
              node: each,
              message: `A long list overflows the stack as arguments of ${callee.property.name}: go through it in a loop.`,
            })
          }
        },
      }),
    },
  },
}

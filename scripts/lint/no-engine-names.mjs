// Core knows no engine: what it needs of one, a dialect or a driver says. A name of an engine in core's code is a question that
// belongs to the package of that engine. Comments may name engines.

const ENGINES = /spanner|googlesql|cassandra|\bcql|cql\b|Cql|keyspaces|postgresql/i

const rule = {
  meta: { type: 'problem', docs: { description: 'Refuses names of engines in identifiers and texts.' } },
  create(context) {
    const check = (node, text) => {
      if (ENGINES.test(text)) context.report({ node, message: `Core names an engine here: ${text}` })
    }
    return {
      Identifier: (node) => check(node, node.name),
      Literal: (node) => {
        if (typeof node.value === 'string') check(node, node.value)
      },
      TemplateElement: (node) => check(node, node.value.raw),
    }
  },
}

// oxlint-disable-next-line import/no-default-export -- A plugin of the linter is one.
export default { meta: { name: 'isotherm-engines' }, rules: { 'no-engine-names': rule } }

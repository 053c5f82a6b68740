import {
  type ASTVisitor,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLType,
  isListType,
  isNonNullType,
  isTypeSubTypeOf,
  typeFromAST,
  type ValidationContext,
  type VariableDefinitionNode,
} from 'graphql'

/**
 * Validation rule for variables, which replaces the standard one. A list also accepts a single value
 * (submission.md 15.1), so a variable of the element type may be used for a list.
 */
export function VariablesFitRule(context: ValidationContext): ASTVisitor {
  const schema = context.getSchema()
  let defined = new Map<string, VariableDefinitionNode>()
  return {
    VariableDefinition(node) {
      defined.set(node.variable.name.value, node)
    },
    OperationDefinition: {
      enter() {
        defined = new Map()
      },
      leave(operation) {
        for (const { node, type: place, defaultValue } of context.getRecursiveVariableUsages(
          operation,
        )) {
          const definition = defined.get(node.name.value)
          const type = definition && typeFromAST(schema, definition.type)
          if (!definition || !type || !place) continue
          const hasDefault = defaultValue !== undefined || hasValue(definition)
          const needed = isNonNullType(place) && hasDefault ? place.ofType : place
          if (fits(type, needed, (a, b) => isTypeSubTypeOf(schema, a, b))) continue
          const message = `Variable "$${node.name.value}" of type "${type}" is used where "${place}" is expected.`
          context.reportError(new GraphQLError(message, { nodes: [definition, node] }))
        }
      },
    },
  }
}

function hasValue({ defaultValue }: VariableDefinitionNode): boolean {
  return defaultValue !== undefined && defaultValue.kind !== 'NullValue'
}

function fits(
  type: GraphQLType,
  place: GraphQLInputType,
  isSubtype: (type: GraphQLType, place: GraphQLType) => boolean,
): boolean {
  if (isSubtype(type, place)) return true
  const list = isNonNullType(place) ? place.ofType : place
  return isListType(list) && fits(type, list.ofType, isSubtype)
}

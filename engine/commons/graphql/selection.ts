import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { beyond, placeOf } from '../../shared/graphql/document-limits.ts'
import { QueryError } from '../../shared/graphql/read-document.ts'
import { SEARCH_DOCUMENT_LIMITS } from './limits.ts'

type Values = Readonly<Record<string, unknown>>

/** A field requested of an object. Equal fields of a document are merged. */
export interface RequestedField {
  /** Name of the field in the response. */
  readonly as: string
  readonly name: string
  readonly args: Values
  readonly node: FieldNode
  /** Type of the field's value, without lists around it. */
  readonly type: GraphQLNamedType
  /** Requested selections of its value. */
  readonly sets: readonly SelectionSetNode[]
  readonly depth: number
}

/** Collects the requested fields of a valid operation, one object type at a time. */
export class Selection {
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  readonly #variables: Values
  #fields = 0

  /** @param variables as their types read them */
  constructor(document: DocumentNode, variables: Values) {
    this.#variables = variables
    for (const one of document.definitions) {
      if (one.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(one.name.value, one)
    }
  }

  /**
   * Returns the members of an object, in the order of the document.
   * @throws EngineError `too_many` beyond a limit; QueryError for an argument that its type does not take
   */
  of(
    type: GraphQLNamedType,
    sets: readonly SelectionSetNode[],
    depth: number,
  ): readonly RequestedField[] {
    if (!(type instanceof GraphQLObjectType)) throw new Error(`${type.name} has no members`)
    if (depth > SEARCH_DOCUMENT_LIMITS.depth) {
      throw beyond(`is deeper than ${SEARCH_DOCUMENT_LIMITS.depth} levels`)
    }
    const found = new Map<string, FieldNode[]>()
    const seen = new Set<string>()
    for (const set of sets) this.#collect(set.selections, found, seen)
    const fields = type.getFields()
    return [...found].map(([as, nodes]) => this.#asked(as, nodes, fields, depth))
  }

  #asked(
    as: string,
    nodes: readonly FieldNode[],
    fields: Readonly<Record<string, GraphQLField<unknown, unknown>>>,
    depth: number,
  ): RequestedField {
    const [node] = nodes as [FieldNode, ...FieldNode[]]
    this.#fields += nodes.length
    if (this.#fields > SEARCH_DOCUMENT_LIMITS.fields) {
      throw beyond(`has more than ${SEARCH_DOCUMENT_LIMITS.fields} fields ${placeOf(node)}`)
    }
    const name = node.name.value
    const field = fields[name]
    // `__typename` is a member of all.
    if (!field) return { as, name, args: {}, node, type: TEXT, sets: [], depth: depth + 1 }
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    const args = argumentsOf(field, node, this.#variables)
    return { as, name, args, node, type: getNamedType(field.type), sets, depth: depth + 1 }
  }

  #collect(
    selections: readonly SelectionNode[],
    found: Map<string, FieldNode[]>,
    seen: Set<string>,
  ): void {
    for (const one of selections) {
      if (!this.#isIncluded(one)) continue
      if (one.kind === Kind.FIELD) {
        const as = one.alias?.value ?? one.name.value
        const nodes = found.get(as)
        if (nodes) nodes.push(one)
        else found.set(as, [one])
      } else if (one.kind === Kind.INLINE_FRAGMENT) {
        this.#collect(one.selectionSet.selections, found, seen)
      } else if (!seen.has(one.name.value)) {
        seen.add(one.name.value)
        const fragment = this.#fragments.get(one.name.value)
        if (fragment) this.#collect(fragment.selectionSet.selections, found, seen)
      }
    }
  }

  #isIncluded(node: SelectionNode): boolean {
    if (!node.directives?.length) return true
    const skip = getDirectiveValues(GraphQLSkipDirective, node, this.#variables)
    const include = getDirectiveValues(GraphQLIncludeDirective, node, this.#variables)
    return skip?.if !== true && include?.if !== false
  }
}

const TEXT = new GraphQLObjectType({ name: 'Typename', fields: {} })

function argumentsOf(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Values,
): Values {
  try {
    return getArgumentValues(field, node, variables)
  } catch (error) {
    if (error instanceof GraphQLError) throw new QueryError([error.message])
    throw error
  }
}

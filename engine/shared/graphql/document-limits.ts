import {
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  getLocation,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  type SelectionSetNode,
  Source,
  type Token,
  TokenKind,
  visit,
} from 'graphql'
import { EngineError } from '../errors.ts'

/** What the text of a query may be, before anything of it is done. */
export interface DocumentLimits {
  readonly characters: number
  readonly tokens: number
  /** Brackets of all kinds within each other: the parser calls itself for each. */
  readonly nesting: number
  /** Operations and fragments. */
  readonly definitions: number
  /** In arguments: each is held against the members that it may have. */
  readonly objects: number
  /** Fields of one name, or one alias: whether they can be merged is seen pair by pair. */
  readonly alike: number
}

const OPENING: ReadonlySet<string> = new Set([
  ...[TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L],
])
const CLOSING: ReadonlySet<string> = new Set([
  ...[TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R],
])

/**
 * Looks at what would make parsing long or deep.
 * @throws EngineError `too_many`
 */
export function checkText(query: string, { characters, tokens, nesting }: DocumentLimits): void {
  if (query.length > characters) throw beyond(`is longer than ${characters} characters`)
  let level = 0
  let count = 0
  for (const { kind, line, column } of tokensOf(query)) {
    const place = `at line ${line}, column ${column}`
    count++
    if (count > tokens) throw beyond(`has more than ${tokens} tokens ${place}`)
    if (OPENING.has(kind)) level++
    else if (CLOSING.has(kind)) level--
    if (level > nesting) throw beyond(`has more than ${nesting} open brackets ${place}`)
  }
}

/** Up to the first that is none: the parser gets no further, and names it. */
function* tokensOf(query: string): Generator<Token> {
  const lexer = new Lexer(new Source(query))
  try {
    while (lexer.advance().kind !== TokenKind.EOF) yield lexer.token
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
  }
}

/**
 * Looks at what would make the validation itself long.
 * @throws EngineError `too_many`
 */
export function checkDocument(document: DocumentNode, limits: DocumentLimits): void {
  if (document.definitions.length > limits.definitions) {
    throw beyond(`has more than ${limits.definitions} operations and fragments`)
  }
  const alike = new Map<string, number>()
  let objects = 0
  visit(document, {
    ObjectValue(node) {
      objects++
      if (objects > limits.objects) {
        throw beyond(`has more than ${limits.objects} objects in arguments ${placeOf(node)}`)
      }
    },
    Field({ alias, name }) {
      const responseName = alias?.value ?? name.value
      const count = (alike.get(responseName) ?? 0) + 1
      if (count > limits.alike) {
        throw beyond(
          `has more than ${limits.alike} fields of the name ${responseName.slice(0, 100)}`,
        )
      }
      alike.set(responseName, count)
    },
  })
}

/** @example placeOf(node) // 'at line 3, column 7' */
export function placeOf({ loc }: ASTNode): string {
  if (!loc) return ''
  const { line, column } = getLocation(loc.source, loc.start)
  return `at line ${line}, column ${column}`
}

/** Names of fields at the root of an operation, fragments in place of their names. */
export function rootFields(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
): ReadonlySet<string> {
  const names = new Set<string>()
  const waiting: (SelectionSetNode | undefined)[] = [selectionSet]
  const seen = new Set<unknown>()
  for (const set of waiting) {
    if (set === undefined || seen.has(set)) continue
    seen.add(set)
    for (const one of set.selections) {
      if (one.kind === Kind.FIELD) names.add(one.name.value)
      else if (one.kind === Kind.INLINE_FRAGMENT) waiting.push(one.selectionSet)
      else waiting.push(fragmentOf(document, one.name.value)?.selectionSet)
    }
  }
  return names
}

function fragmentOf({ definitions }: DocumentNode, name: string) {
  return definitions.find(
    (one): one is FragmentDefinitionNode =>
      one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name,
  )
}

export function beyond(what: string): EngineError {
  return new EngineError('too_many', `the query ${what}`)
}

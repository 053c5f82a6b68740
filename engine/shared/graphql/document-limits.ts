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

/** Limits on the text of a query, checked before it is executed. */
export interface DocumentLimits {
  readonly characters: number
  readonly tokens: number
  /** Maximum depth of nested brackets of all kinds. The parser recurses for each. */
  readonly nesting: number
  /** Maximum number of operations and fragments. */
  readonly definitions: number
  /** Maximum number of objects in arguments. Each is validated against its type. */
  readonly objects: number
  /** Maximum number of fields with the same name or alias in the document. Validation compares them pairwise. */
  readonly alike: number
}

const OPENING: ReadonlySet<string> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
])
const CLOSING: ReadonlySet<string> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
])

/** Maximum length of a name or alias. An alias is repeated in the response for every record. */
const MAX_NAME_CHARACTERS = 256

/**
 * Maximum number of line ends and backslashes. Each costs the library time, although a comment or text counts as
 * one token at most: a comment or block text of 500,000 lines takes 60 ms.
 */
const MAX_LINES = 20_000
const [LINE_FEED, CARRIAGE_RETURN, BACKSLASH] = [0x0a, 0x0d, 0x5c]

/**
 * Rejects a query that would make parsing slow or deeply recursive.
 * @throws EngineError `too_many` over a limit
 */
export function checkText(query: string, { characters, tokens, nesting }: DocumentLimits): void {
  if (query.length > characters) throw beyond(`is longer than ${characters} characters`)
  checkLines(query)
  let level = 0
  let count = 0
  for (const { kind, line, column, value } of tokensOf(query)) {
    const place = `at line ${line}, column ${column}`
    count++
    if (kind === TokenKind.NAME && value.length > MAX_NAME_CHARACTERS) {
      throw beyond(`has a name of more than ${MAX_NAME_CHARACTERS} characters ${place}`)
    }
    if (count > tokens) throw beyond(`has more than ${tokens} tokens ${place}`)
    if (OPENING.has(kind)) level++
    else if (CLOSING.has(kind)) level--
    if (level > nesting) throw beyond(`has more than ${nesting} open brackets ${place}`)
  }
}

/** Lines are checked before the first token is read, because a single token can take long. */
function checkLines(query: string): void {
  let lines = 0
  for (let i = 0; i < query.length; i++) {
    const code = query.charCodeAt(i)
    if (code === LINE_FEED || code === CARRIAGE_RETURN || code === BACKSLASH) lines++
  }
  if (lines > MAX_LINES) throw beyond(`has more than ${MAX_LINES} line ends and backslashes`)
}

/** Yields the tokens up to the first invalid one, which the parser will report. */
function* tokensOf(query: string): Generator<Token> {
  const lexer = new Lexer(new Source(query))
  try {
    while (lexer.advance().kind !== TokenKind.EOF) yield lexer.token
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
  }
}

/**
 * Rejects a document that would make its validation slow.
 * @throws EngineError `too_many` over a limit
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

/**
 * Formats the position of a node.
 * @example placeOf(node) // 'at line 3, column 7'
 */
export function placeOf({ loc }: ASTNode): string {
  if (!loc) return ''
  const { line, column } = getLocation(loc.source, loc.start)
  return `at line ${line}, column ${column}`
}

/** Returns the names of an operation's root fields, including those in fragments. */
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

/** Fields of introspection types that are lists, with their approximate lengths in the schemas here. */
const SCHEMA_LISTS: ReadonlyMap<string, number> = new Map([
  ['types', 750],
  ['fields', 20],
  ['args', 4],
  ['inputFields', 25],
  ['interfaces', 2],
  ['possibleTypes', 3],
  ['enumValues', 3],
  ['directives', 5],
])

/** Maximum estimated number of values of an introspection query. Common clients request about three million. */
const MAX_SCHEMA_VALUES = 4_000_000

/**
 * Checks an introspection query for lists within lists, which aliases and fragments multiply. The document must
 * be valid, because a fragment that contains itself would never end.
 * @throws EngineError `too_many` if the query requests more than MAX_SCHEMA_VALUES values
 */
export function checkSchemaQuery(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
): void {
  // Each fragment is measured once, because nested fragments can expand a short text to billions of fields.
  const known = new Map<string, number>()
  const valuesOf = (set: SelectionSetNode | undefined): number => {
    let values = 0
    for (const one of set?.selections ?? []) {
      if (one.kind === Kind.INLINE_FRAGMENT) values += valuesOf(one.selectionSet)
      else if (one.kind === Kind.FRAGMENT_SPREAD) values += ofFragment(one.name.value)
      else values += 1 + (SCHEMA_LISTS.get(one.name.value) ?? 1) * valuesOf(one.selectionSet)
    }
    return values
  }
  const ofFragment = (name: string): number => {
    const values = known.get(name) ?? valuesOf(fragmentOf(document, name)?.selectionSet)
    known.set(name, values)
    return values
  }
  if (valuesOf(selectionSet) > MAX_SCHEMA_VALUES) throw beyond('requests too much of the schema')
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

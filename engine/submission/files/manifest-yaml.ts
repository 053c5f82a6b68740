import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  Lexer,
  type Node,
  Parser,
} from 'yaml'

/** Limits on a YAML manifest. A manifest of 1,000 files with all properties reaches a third of these limits. */
const YAML_LIMITS = Object.freeze({
  /** Maximum number of tokens, including whitespace. */
  tokens: 400_000,
  levels: 32,
  aliases: 100,
  /** Maximum number of values after alias expansion. */
  values: 400_000,
})

/** Tokenizer levels without any nesting: the document, and a single value at its end. */
const BASE_LEVELS = 2

/** Thrown for a manifest that is invalid or exceeds a limit. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

/**
 * Parses a YAML 1.1 document in linear time. Checks limits on keys, nesting and aliases before the library
 * expands them.
 * @throws YamlError if the text is not valid YAML, exceeds a limit, or has a key that is repeated or not a
 *   scalar
 */
export function readManifestYaml(text: string): unknown {
  const document = composed(text)
  new Survey().check(document)
  try {
    return document.toJS({ maxAliasCount: -1 })
  } catch {
    // All other problems have been detected before. The library throws only for an alias without an anchor, or
    // for a merge of something that is not a mapping.
    throw new YamlError('the manifest has an alias of nothing, or one that cannot be merged')
  }
}

function composed(text: string): Document.Parsed {
  const composer = new Composer({
    version: '1.1',
    schema: 'yaml-1.1',
    logLevel: 'error',
    // Disabled, because the library compares all pairs of keys. Survey checks for duplicates instead.
    uniqueKeys: false,
    // Manifests need no `!!omap`, for which the library also compares all pairs of keys.
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || tag.tag !== OMAP),
  })
  const [first, second] = composer.compose(tokensOf(text), true, text.length)
  if (!first) throw invalidAt(0)
  const wrong = first.errors[0]?.pos[0] ?? second?.range[0]
  if (wrong !== undefined) throw invalidAt(wrong)
  return first as Document.Parsed
}

const OMAP = 'tag:yaml.org,2002:omap'

function* tokensOf(text: string): Generator<CST.Token> {
  const parser = new Parser()
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    count++
    if (count > YAML_LIMITS.tokens) {
      throw new YamlError(
        `the manifest has more than ${YAML_LIMITS.tokens} names, values and marks`,
      )
    }
    yield* parser.next(lexeme)
    if (parser.stack.length > YAML_LIMITS.levels + BASE_LEVELS) {
      const place = `at character ${parser.offset}`
      throw new YamlError(
        `the manifest is nested deeper than ${YAML_LIMITS.levels} levels ${place}`,
      )
    }
  }
  yield* parser.end()
}

interface Anchored {
  readonly values: number
  readonly isCollection: boolean
}

/** Visits each node of a document once. Rejects documents that the library would take too long to expand. */
class Survey {
  readonly #anchored = new Map<string, Anchored>()
  #aliases = 0

  /**
   * Checks a document.
   * @throws YamlError if it has too many values or aliases, or a key that is repeated or not a scalar
   */
  check({ contents }: Document.Parsed): void {
    if (this.#valuesOf(contents) <= YAML_LIMITS.values) return
    const { values } = YAML_LIMITS
    throw new YamlError(`the manifest has more than ${values} values, its aliases written out`)
  }

  #valuesOf(node: unknown): number {
    if (isAlias(node)) return this.#aliased(node.source).values
    if (!isCollection(node)) return this.#anchor(node, 1)
    const keys = isMap(node) ? new Set<unknown>() : undefined
    let values = 1
    for (const item of node.items) {
      values += this.#valuesOf(isPair(item) ? item.key : item)
      if (!isPair(item)) continue
      if (keys) this.#takeKey(item.key, keys)
      values += this.#valuesOf(item.value)
    }
    return this.#anchor(node, values)
  }

  #anchor(node: unknown, values: number): number {
    const { anchor } = (node ?? {}) as { readonly anchor?: string }
    if (anchor) this.#anchored.set(anchor, { values, isCollection: isCollection(node) })
    return values
  }

  #aliased(source: string): Anchored {
    this.#aliases++
    if (this.#aliases > YAML_LIMITS.aliases) {
      throw new YamlError(`the manifest has more than ${YAML_LIMITS.aliases} aliases`)
    }
    return this.#anchored.get(source) ?? { values: 1, isCollection: false }
  }

  /** Checks that keys are scalars and unique. */
  #takeKey(key: unknown, keys: Set<unknown>): void {
    const isMany = isAlias(key) ? this.#anchored.get(key.source)?.isCollection : isCollection(key)
    const value = isScalar(key) ? key.value : key
    if (isMany || keys.has(value)) throw invalidAt((key as Node).range?.[0] ?? 0)
    keys.add(value)
  }
}

function invalidAt(character: number): YamlError {
  return new YamlError(`the manifest is not valid YAML at character ${character}`)
}

import { basename } from 'node:path'
import { readTextFile } from '../../shared/input/text-file.ts'
import { errorIn } from '../error-in.ts'
import { type Condition, itemsOf, parseCondition } from '../rules/condition.ts'
import {
  type BlockForm,
  MAX_RULE_BYTES,
  parseBlocks,
  type RuleBlock,
} from '../rules/rule-blocks.ts'
import { RuleWords, type WrongAt } from '../rules/rule-words.ts'

/** Value that a rule assigns to an item: a code, the value of another item, or no value. */
export type NewValue =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'item'; readonly item: string }
  | { readonly kind: 'empty' }

/** Sets an item regardless of its value. */
export interface Assignment {
  readonly item: string
  readonly value: NewValue
}

/** Replaces codes of an item. Codes that are not listed stay the same. */
export interface Recoding {
  readonly item: string
  /** New codes keyed by old codes. An empty text removes the value. */
  readonly codes: ReadonlyMap<string, string>
}

/** One rule for converting the codes of tumors between two versions. */
export interface ConversionRule {
  /** Identifies the rule in the file, such as `A0010`. */
  readonly number: string
  readonly name: string
  /** Selects the tumors to which the rule applies. Undefined means all. */
  readonly when: Condition | undefined
  readonly set: readonly Assignment[]
  readonly recode: readonly Recoding[]
  /** Instruction to a person, for the tumors that the rule applies to. */
  readonly review: string | undefined
  /** Ids of the items that the rule reads, each once. */
  readonly reads: readonly string[]
  /** Ids of the items that the rule sets or recodes. */
  readonly writes: readonly string[]
}

/** Conversion rules, and the text from which they were parsed. */
export interface Conversion {
  readonly text: string
  readonly rules: readonly ConversionRule[]
}

type Field = 'name' | 'when' | 'set' | 'recode' | 'review'

const FORM: BlockForm<Field> = {
  word: 'convert',
  fields: ['name', 'when', 'set', 'recode', 'review'],
  required: ['name'],
}

export interface ReadConversion {
  readonly signal?: AbortSignal | undefined
  /** Parser of the rules. By default parseConversion. */
  readonly parse?: typeof parseConversion | undefined
}

/**
 * Reads a file of conversion rules.
 * @throws EngineError as readTextFile; bad_input, naming file, line and column
 */
export async function readConversion(
  path: string,
  { signal, parse = parseConversion }: ReadConversion = {},
): Promise<Conversion> {
  const text = await readTextFile(path, { maxBytes: MAX_RULE_BYTES, signal })
  try {
    return { text, rules: parse(text) }
  } catch (error) {
    throw errorIn(basename(path), error, ': ')
  }
}

/**
 * Parses conversion rules in their order. Each has a `name`, at least one of `set`, `recode` and `review`, and may have
 * a condition `when`.
 * @throws EngineError bad_input, naming line and column
 */
export const parseConversion = (text: string): readonly ConversionRule[] =>
  parseBlocks(text, FORM).map(ruleOf)

function ruleOf(block: RuleBlock<Field>): ConversionRule {
  const when = block.parsed('when', parseCondition)
  const set = block.parsed('set', parseAssignments) ?? []
  const recode = block.parsed('recode', parseRecodings) ?? []
  const review = block.has('review') ? block.sentence('review') : undefined
  if (set.length + recode.length === 0 && review === undefined) {
    throw block.wrong('it changes nothing; give set:, recode: or review:')
  }
  const writes = [...set, ...recode].map(({ item }) => item)
  const twice = writes.find((item, i) => writes.indexOf(item) !== i)
  if (twice !== undefined) throw block.wrong(`it changes ${twice} twice; make it two rules`)
  const copied = set.flatMap(({ value }) => (value.kind === 'item' ? [value.item] : []))
  const recoded = recode.map(({ item }) => item)
  return {
    number: block.number,
    name: block.sentence('name'),
    when,
    set,
    recode,
    review,
    writes,
    reads: [...new Set([...(when ? itemsOf(when) : []), ...copied, ...recoded])],
  }
}

/** Parses `schemaId = '00530', gradeClinical = empty, edition = otherItem`. */
function parseAssignments(text: string, wrong: WrongAt): readonly Assignment[] {
  return listed(new RuleWords(text, wrong), (words) => {
    const item = words.item()
    words.expect('=')
    return { item, value: newValueIn(words) }
  })
}

function newValueIn(words: RuleWords): NewValue {
  if (words.takes('empty')) return { kind: 'empty' }
  const code = words.quoted()
  if (code === '') throw words.unexpected("a code such as '9', or empty")
  return code === undefined ? { kind: 'item', item: words.item() } : { kind: 'code', code }
}

/** Parses `gradeClinical (A -> B, B -> C, 9 -> empty)`. */
function parseRecodings(text: string, wrong: WrongAt): readonly Recoding[] {
  return listed(new RuleWords(text, wrong), (words) => {
    const item = words.item()
    const codes = new Map<string, string>()
    words.list(() => {
      const { at } = words.peek()
      const from = codeIn(words)
      words.expect('->')
      if (codes.has(from)) throw words.wrongAt(at, `${from} of ${item} is there twice`)
      codes.set(from, words.takes('empty') ? '' : codeIn(words))
    })
    return { item, codes }
  })
}

function codeIn(words: RuleWords): string {
  const { kind } = words.peek()
  const code = words.quoted() ?? (kind === 'word' ? words.next().text : '')
  if (code === '') throw words.unexpected("a code such as 070 or 'X 1'")
  return code
}

function listed<Part>(words: RuleWords, part: (words: RuleWords) => Part): readonly Part[] {
  const parts = [part(words)]
  while (words.takes(',')) parts.push(part(words))
  if (words.peek().kind !== 'end') throw words.unexpected('a comma or the end')
  return parts
}

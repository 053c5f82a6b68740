import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import { nearestOf } from '../../shared/input/near-name.ts'
import { readTextFile } from '../../shared/input/text-file.ts'
import { errorIn } from '../error-in.ts'
import { type Condition, itemsOf, parseCondition, type WrongAt } from './condition.ts'

/** An edit over several items: where `when` is true, `require` is not to be false. */
export interface EditRule {
  readonly number: string
  readonly name: string
  /** Message that says what is wrong and what to do. */
  readonly message: string
  readonly when: Condition | undefined
  readonly require: Condition
  /** Ids of the items that it reads, each once, in order. */
  readonly items: readonly string[]
  /** Ids of the items whose values are read, beyond whether they are empty. */
  readonly asksForValue: readonly string[]
}

const MAX_BYTES = 1 << 20
const MAX_RULES = 2000
const MAX_NAME = 120
const MAX_MESSAGE = 400

const FIELDS = ['name', 'when', 'require', 'message'] as const
type Field = (typeof FIELDS)[number]
const NEEDED: readonly Field[] = ['name', 'require', 'message']

/** Text of a field, with the place of its first character; lines that go on stand behind line ends. */
interface Text {
  readonly line: number
  readonly column: number
  text: string
}

interface Block {
  readonly number: string
  readonly line: number
  readonly fields: Map<Field, Text>
}

/**
 * Reads the file of rules of a registry.
 * @throws EngineError as readTextFile; bad_input, naming file, line and column
 */
export async function readRuleFile(
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly text: string; readonly rules: readonly EditRule[] }> {
  const text = await readTextFile(path, { maxBytes: MAX_BYTES, signal })
  try {
    return { text, rules: parseRules(text) }
  } catch (error) {
    throw errorIn(basename(path), error, ': ')
  }
}

/**
 * Reads rules, in their order. A rule begins by `edit NUMBER`; below it are `name:`, `when:`, which may be left out,
 * `require:` and `message:`. A line that begins by a blank goes on with the one above, and one that begins by # is a
 * comment.
 * @throws EngineError bad_input, naming line and column
 */
export function parseRules(text: string): readonly EditRule[] {
  const blocks = new Map<string, Block>()
  let block: Block | undefined
  let field: Text | undefined
  for (const [i, whole] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = i + 1
    const content = whole.trimEnd()
    if (content === '' || content.startsWith('#')) continue
    if (/^\s/.test(content)) {
      if (!field) throw wrong(line, 1, 'it goes on with nothing; give a line such as edit A0010')
      field.text += `\n${content}`
      continue
    }
    const [, number] = /^edit\s+(\S+)$/.exec(content) ?? []
    if (number !== undefined) {
      block = beginBlock(number, line, blocks)
      field = undefined
      continue
    }
    if (!block) throw wrong(line, 1, 'there is no rule yet; begin one by a line such as edit A0010')
    field = beginField(content, line, block)
  }
  if (blocks.size === 0)
    throw wrong(1, 1, 'the file has no rule; begin one by a line such as edit A0010')
  return [...blocks.values()].map(ruleOf)
}

const NUMBER = /^[A-Z]{1,3}\d{1,6}$/

function beginBlock(number: string, line: number, blocks: Map<string, Block>): Block {
  if (!NUMBER.test(number)) {
    const message = `the number is ${JSON.stringify(number.slice(0, 40))}; give letters and digits such as A0010`
    throw wrong(line, 6, message)
  }
  const before = blocks.get(number)
  if (before) throw wrong(line, 6, `${number} is there already, on line ${before.line}`)
  if (blocks.size >= MAX_RULES) throw wrong(line, 1, `there are more than ${MAX_RULES} rules`)
  const block = { number, line, fields: new Map<Field, Text>() }
  blocks.set(number, block)
  return block
}

function beginField(content: string, line: number, { number, fields }: Block): Text {
  const [, name = '', blanks = '', text = ''] = /^(\w*)\s*:(\s*)(.*)$/.exec(content) ?? []
  const field = FIELDS.find((one) => one === name)
  if (!field) {
    const given = name || content.split(/\s/, 1)[0] || ''
    const near = nearestOf(given, FIELDS)
    const message = `there is ${JSON.stringify(given.slice(0, 40))}; give ${FIELDS.map((one) => `${one}:`).join(', ')} or edit NUMBER${near}`
    throw wrong(line, 1, message)
  }
  if (fields.has(field)) throw wrong(line, 1, `${number} has ${field} already`)
  const begun = { line, column: content.indexOf(':') + 2 + blanks.length, text }
  fields.set(field, begun)
  return begun
}

function ruleOf({ number, line, fields }: Block): EditRule {
  const missing = NEEDED.find((field) => !fields.get(field)?.text.trim())
  if (missing) throw wrong(line, 1, `${number} lacks ${missing}; give a line ${missing}: ...`)
  const sentence = (field: 'name' | 'message', most: number) => {
    const given = fields.get(field) as Text
    const text = given.text.replace(/\s+/g, ' ').trim()
    if (text.length <= most) return text
    throw wrong(given.line, given.column, `${field} has more than ${most} characters`)
  }
  const conditionIn = (field: 'when' | 'require') => {
    const given = fields.get(field)
    return given && parseCondition(given.text, placesIn(given))
  }
  const when = conditionIn('when')
  const require = conditionIn('require') as Condition
  const itemsIn = (isValue: boolean) =>
    [when, require].flatMap((part) => (part ? itemsOf(part, isValue) : []))
  return {
    ...{ number, name: sentence('name', MAX_NAME), message: sentence('message', MAX_MESSAGE) },
    ...{ when, require, items: [...new Set(itemsIn(false))] },
    asksForValue: [...new Set(itemsIn(true))],
  }
}

const placesIn =
  ({ line, column, text }: Text): WrongAt =>
  (at, message) => {
    const before = text.slice(0, at)
    const lines = before.split('\n')
    const last = lines.at(-1) ?? ''
    return lines.length === 1
      ? wrong(line, column + at, message)
      : wrong(line + lines.length - 1, last.length + 1, message)
  }

function wrong(line: number, column: number, message: string): EngineError {
  const at = `line ${line}, column ${column}`
  return new EngineError('bad_input', `${at}: ${message}`, { at })
}

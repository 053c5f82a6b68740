import { EngineError } from '../../shared/errors.ts'
import { nearestOf } from '../../shared/input/near-name.ts'
import type { WrongAt } from './rule-words.ts'

// A file of rules has one block per rule. A block starts with a line such as `edit A0010`, followed by fields
// such as `name: ...`. A line that starts with a blank continues the line above. A line that starts with # is a
// comment.

/** Maximum size of a rule file. */
export const MAX_RULE_BYTES = 1 << 20

const MAX_RULES = 2000
/** Maximum length of a name in characters, and of any other sentence. */
export const MAX_NAME = 120
export const MAX_MESSAGE = 400

/** Text of a field and the 1-based position of its first character. Continued lines follow line breaks. */
interface FieldText {
  readonly line: number
  readonly column: number
  text: string
}

/** The form of the blocks in a file. */
export interface BlockForm<Field extends string> {
  /** The word that starts a block. */
  readonly word: string
  readonly fields: readonly Field[]
  readonly required: readonly Field[]
}

/** A rule with the texts of its fields. */
export class RuleBlock<Field extends string> {
  /** Identifies the rule, such as `A0010`. It follows the word that starts the block. */
  readonly number: string
  /** 1-based line of the number. */
  readonly line: number
  readonly #fields = new Map<Field, FieldText>()

  constructor(number: string, line: number) {
    this.number = number
    this.line = line
  }

  /** @throws EngineError bad_input if the block has the field already */
  add(field: Field, text: FieldText): FieldText {
    if (this.#fields.has(field)) throw wrongAt(text.line, 1, `${this.number} has ${field} already`)
    this.#fields.set(field, text)
    return text
  }

  has(field: Field): boolean {
    return (this.#fields.get(field)?.text.trim() ?? '') !== ''
  }

  /** @throws EngineError bad_input if it is longer than a name, or than any other sentence */
  sentence(field: Field): string {
    const given = this.#fields.get(field)
    const text = given?.text.replace(/\s+/g, ' ').trim() ?? ''
    const most = field === 'name' ? MAX_NAME : MAX_MESSAGE
    if (!given || text.length <= most) return text
    throw wrongAt(given.line, given.column, `${field} has more than ${most} characters`)
  }

  /** Creates the error for the whole rule. */
  wrong(message: string): EngineError {
    return wrongAt(this.line, 1, `${this.number}: ${message}`)
  }

  /** Parses the text of a field if the field is present. Errors of the parser name line and column. */
  parsed<Parsed>(
    field: Field,
    parse: (text: string, wrong: WrongAt) => Parsed,
  ): Parsed | undefined {
    const given = this.#fields.get(field)
    return given && parse(given.text, placesIn(given))
  }
}

/**
 * Reads the blocks of a rule file in their order.
 * @throws EngineError bad_input, naming line and column
 */
export function parseBlocks<Field extends string>(
  text: string,
  form: BlockForm<Field>,
): readonly RuleBlock<Field>[] {
  const start = `such as ${form.word} A0010`
  const blocks = new Map<string, RuleBlock<Field>>()
  let block: RuleBlock<Field> | undefined
  let field: FieldText | undefined
  for (const [i, whole] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = i + 1
    const content = whole.trimEnd()
    if (content === '' || content.startsWith('#')) continue
    if (/^\s/.test(content)) {
      if (!field) throw wrongAt(line, 1, `it goes on with nothing; give a line ${start}`)
      field.text += `\n${content}`
      continue
    }
    const [first, number] = content.split(/\s+/)
    if (first === form.word && number !== undefined) {
      block = beginBlock(number, line, blocks, form)
      field = undefined
      continue
    }
    if (!block) throw wrongAt(line, 1, `there is no rule yet; begin one by a line ${start}`)
    field = beginField(content, line, block, form)
  }
  if (blocks.size === 0) {
    throw wrongAt(1, 1, `the file has no rule; begin one by a line ${start}`)
  }
  for (const one of blocks.values()) {
    const missing = form.required.find((name) => !one.has(name))
    if (missing === undefined) continue
    throw wrongAt(one.line, 1, `${one.number} lacks ${missing}; give a line ${missing}: ...`)
  }
  return [...blocks.values()]
}

const NUMBER = /^[A-Z]{1,3}\d{1,6}$/

function beginBlock<Field extends string>(
  number: string,
  line: number,
  blocks: Map<string, RuleBlock<Field>>,
  { word }: BlockForm<Field>,
): RuleBlock<Field> {
  const column = word.length + 2
  if (!NUMBER.test(number)) {
    const message = `the number is ${JSON.stringify(number.slice(0, 40))}; give letters and digits such as A0010`
    throw wrongAt(line, column, message)
  }
  const before = blocks.get(number)
  if (before) {
    throw wrongAt(line, column, `${number} is there already, on line ${before.line}`)
  }
  if (blocks.size >= MAX_RULES) throw wrongAt(line, 1, `there are more than ${MAX_RULES} rules`)
  const block = new RuleBlock<Field>(number, line)
  blocks.set(number, block)
  return block
}

function beginField<Field extends string>(
  content: string,
  line: number,
  block: RuleBlock<Field>,
  { word, fields }: BlockForm<Field>,
): FieldText {
  const [, name = '', blanks = '', text = ''] = /^(\w*)\s*:(\s*)(.*)$/.exec(content) ?? []
  const field = fields.find((one) => one === name)
  if (!field) {
    const given = name || content.split(/\s/, 1)[0] || ''
    const accepted = fields.map((one) => `${one}:`).join(', ')
    const message = `there is ${JSON.stringify(given.slice(0, 40))}; give ${accepted} or ${word} NUMBER${nearestOf(given, fields)}`
    throw wrongAt(line, 1, message)
  }
  const column = content.indexOf(':') + 2 + blanks.length
  return block.add(field, { line, column, text })
}

const placesIn =
  ({ line, column, text }: FieldText): WrongAt =>
  (at, message) => {
    const lines = text.slice(0, at).split('\n')
    const last = lines.at(-1) ?? ''
    return lines.length === 1
      ? wrongAt(line, column + at, message)
      : wrongAt(line + lines.length - 1, last.length + 1, message)
  }

function wrongAt(line: number, column: number, message: string): EngineError {
  const at = `line ${line}, column ${column}`
  return new EngineError('bad_input', `${at}: ${message}`, { at })
}

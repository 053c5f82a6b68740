import { counted } from '../../parts/counted.ts'
import { errorText } from '../../parts/error-text.ts'
import type { Inputs } from './staging-data.ts'

/** A case of a file. */
export interface FileCase {
  /** Line in the file that the case begins on, 1-based. */
  readonly line: number
  readonly inputs: Inputs
  /** Reason why the row is not a case. */
  readonly fault?: string
}

/** Cases that were read together, with the number of bytes of the file read so far. */
interface CasePart {
  readonly cases: readonly FileCase[]
  readonly bytes: number
}

/** Longest row or line, in characters. Codes of a case are far shorter. */
const MAX_ROW = 1 << 20

/**
 * Reads cases from a file: JSON lines, or a table with a header of input names and tabs, commas or semicolons.
 * The file is read piece by piece, and no further than its cases are taken.
 * @throws Error naming what is wrong with the file as a whole
 */
export async function* readCases(file: Blob): AsyncGenerator<CasePart> {
  let read: ((text: string, line: number) => Promise<readonly FileCase[]>) | undefined
  let line = 1
  for await (const { text, bytes } of wholeRows(file)) {
    read ??= isJson(text) ? readLines : await tableReader()
    const cases = await read(text, line)
    line += lineBreaks(text)
    if (cases.length > 0) yield { cases, bytes }
  }
  if (read === undefined) throw new Error('The file is empty.')
}

/** Returns whether a file that starts with this text consists of JSON lines. Otherwise it is a table. */
const isJson = (start: string) => /^\s*\{/.test(start)

/**
 * Yields the text of a file in pieces of whole rows, with the number of bytes read so far. The start of the file
 * shows whether it is a table, in which a quoted cell may contain line breaks.
 */
export async function* wholeRows(file: Blob): AsyncGenerator<{ text: string; bytes: number }> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = file.stream().getReader()
  let rest = ''
  let bytes = 0
  let isTable: boolean | undefined
  try {
    for (;;) {
      const { value, done } = await reader.read()
      bytes += value?.length ?? 0
      rest += decoded(decoder, value)
      if (isTable === undefined && rest.trim() !== '') isTable = !isJson(rest)
      const end = isTable ? rowEnd(rest) : rest.lastIndexOf('\n') + 1
      if (end > 0) yield { text: rest.slice(0, end), bytes }
      rest = rest.slice(end)
      if (rest.length > MAX_ROW) {
        throw new Error(`A row is longer than ${MAX_ROW} characters, or a quote has no end.`)
      }
      if (!done) continue
      if (rest !== '') yield { text: rest, bytes }
      return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function decoded(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array | undefined): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined })
  } catch {
    throw new Error('The file is not UTF-8 text. Save it as CSV in UTF-8, or as JSON lines.')
  }
}

/** Returns the place behind the last line break outside of quotes, or 0. */
function rowEnd(text: string): number {
  let end = 0
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') isQuoted = !isQuoted
    else if (text[i] === '\n' && !isQuoted) end = i + 1
  }
  return end
}

const lineBreaks = (text: string) => text.split('\n').length - 1

async function readLines(text: string, first: number): Promise<readonly FileCase[]> {
  return text.split('\n').flatMap((row, index) => {
    if (row.trim() === '') return []
    const line = first + index
    try {
      const value: unknown = JSON.parse(row)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        const inputs = Object.entries(value).map(([key, one]) => [key, String(one ?? '')] as const)
        return [{ line, inputs: Object.fromEntries(inputs) }]
      }
    } catch {
      // An invalid line is reported below, like a line that is no object.
    }
    return [{ line, inputs: {}, fault: 'The line is not a JSON object.' }]
  })
}

/** Returns a reader of a table whose first row is its header. */
async function tableReader() {
  const { parse } = await import('csv-parse/browser/esm/sync')
  let names: readonly string[] | undefined
  let delimiter = ','
  return async (text: string, first: number): Promise<readonly FileCase[]> => {
    if (names === undefined) delimiter = delimiterOf(text)
    const options = {
      delimiter,
      bom: true,
      info: true,
      trim: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }
    // The type declarations of the library do not cover the option `info`.
    const rows = rowsOf(() => parse(text, options) as unknown as readonly Row[])
    const cases: FileCase[] = []
    for (const { record, info } of rows) {
      if (names === undefined) names = readHeader(record)
      // The parser counts the line that a row ends on.
      else cases.push(caseOf(record, names, first - 1 + info.lines - lineBreaks(record.join(''))))
    }
    return cases
  }
}

interface Row {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

function rowsOf(parse: () => readonly Row[]): readonly Row[] {
  try {
    return parse()
  } catch (cause) {
    const message = errorText(cause)
    throw new Error(`The table cannot be read: ${message}`, { cause })
  }
}

/** Returns the delimiter that occurs most often in the header. */
function delimiterOf(text: string): string {
  const header = text.split('\n', 1)[0] ?? ''
  const count = (mark: string) => header.split(mark).length
  return ['\t', ',', ';'].reduce((most, mark) => (count(mark) > count(most) ? mark : most))
}

function readHeader(names: readonly string[]): readonly string[] {
  const missing = ['site', 'hist'].filter((name) => !names.includes(name))
  if (missing.length > 0) {
    throw new Error(
      `The header has no column ${missing.join(' and no column ')}. Its columns are ` +
        `${names.slice(0, 20).join(', ')}; name each by the input of the algorithm that it holds.`,
    )
  }
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`The header names the column ${twice} twice.`)
  return names
}

function caseOf(record: readonly string[], names: readonly string[], line: number): FileCase {
  const given = names.flatMap((name, index) => {
    const value = record[index] ?? ''
    return name === '' || value === '' ? [] : [[name, value] as const]
  })
  const inputs = Object.fromEntries(given)
  if (record.length === names.length) return { line, inputs }
  const fault = `The row has ${counted(record.length, 'cell')}, and the header ${names.length}.`
  return { line, inputs, fault }
}

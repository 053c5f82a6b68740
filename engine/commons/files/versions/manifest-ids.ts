import { EngineError } from '../../../shared/errors.ts'
import { cutQuoted, isQuotedHeader } from '../../../shared/input/quoting.ts'
import { checkIdCount } from './ids.ts'

/** Blank ones, too. */
const MAX_LINES = 10_000

/**
 * The ids of a download manifest (data-commons.md 4.1): the column `id`; others are not looked at. Blank
 * lines are passed over, lines may end with CRLF, and cells are quoted if the header is.
 * @throws EngineError bad_input naming the line; too_many
 */
export function idsOfManifest(text: string): readonly string[] {
  let column: number | undefined
  let isQuoted = false
  const ids: string[] = []
  for (const { line, number } of linesOf(text.replace(/^\ufeff/, ''))) {
    if (line.trim() === '') continue
    const at = `line ${number}`
    if (column === undefined) {
      isQuoted = isQuotedHeader(line.trimEnd())
      column = cellsOf(line, isQuoted).indexOf('id')
      if (column >= 0) continue
      throw badInput('the first line of the manifest has no column "id"; send its header, too', at)
    }
    const id = cellsOf(line, isQuoted)[column] ?? ''
    if (id === '') throw badInput(`${at} of the manifest has no id`, at)
    checkIdCount(ids.length + 1)
    ids.push(id)
  }
  if (column === undefined) throw badInput('the body is empty; send a download manifest', 'body')
  if (ids.length > 0) return ids
  throw badInput('the manifest has no line below its header; send it with its line breaks', 'body')
}

/** Cut one by one, not by split(), which makes millions of texts of a body of line breaks. */
function* linesOf(text: string): Generator<{ readonly line: string; readonly number: number }> {
  let number = 0
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    number += 1
    if (number > MAX_LINES) {
      const message = `the manifest has more than ${MAX_LINES} lines; send it in parts`
      throw new EngineError('too_many', message, { at: 'body' })
    }
    yield { line: text.slice(start, end), number }
    start = end + 1
  }
}

function cellsOf(line: string, isQuoted: boolean): readonly string[] {
  const { cells } = isQuoted
    ? cutQuoted(line.trimEnd(), '\t', 'doubled')
    : { cells: line.split('\t') }
  return cells.map((cell) => cell.trim())
}

const badInput = (message: string, at: string) => new EngineError('bad_input', message, { at })

import { EngineError } from '../../../shared/errors.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import { type HeadedTable, headedTable } from '../../../shared/input/text-table.ts'
import { utf8Text } from '../../../shared/input/utf8-text.ts'
import { checkIdCount } from './ids.ts'

/** Maximum number of lines, including blank ones. */
const MAX_LINES = 10_000
const [LF, CR, TAB, QUOTE] = [0x0a, 0x0d, 0x09, 0x22]
/** Maximum numbers of tabs and of quotation marks: ten quoted columns in each line. */
const MAX_MARKS = 250_000

/**
 * Reads the ids of a download manifest (data-commons.md 4.1) from its column `id`. Blank lines are skipped,
 * lines may end with CRLF, and cells are quoted if the table as a whole is.
 * @throws EngineError bad_input naming the line; too_many
 */
export function idsOfManifest(body: Uint8Array | string): readonly string[] {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  checkMarks(bytes)
  const { header, line, rows } = tableOf(bytes)
  if (header.length === 0) throw badInput('the body is empty; send a download manifest', 'body')
  const column = header.indexOf('id')
  if (column < 0) {
    const message = 'the first line of the manifest has no column "id"; send its header, too'
    throw badInput(message, `line ${line}`)
  }
  if (rows.length === 0) {
    const message = 'the manifest has no line below its header; send it with its line breaks'
    throw badInput(message, 'body')
  }
  checkIdCount(rows.length)
  return rows.map((row) => {
    const id = row.cells[column]?.trim() ?? ''
    if (id !== '') return id
    throw badInput(`line ${row.line} of the manifest has no id`, `line ${row.line}`)
  })
}

function tableOf(body: Uint8Array): HeadedTable {
  try {
    return headedTable(utf8Text(body), '\t')
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    const message = `the body is not taken: ${cause.message}`
    throw new EngineError('bad_input', message, { at: 'body', cause })
  }
}

/** Checks the numbers of lines, tabs and quotes before any row is split. Throws if there are too many. */
function checkMarks(body: Uint8Array): void {
  const end = body.includes(LF) ? LF : CR
  requireAtMost(body, end, MAX_LINES - 1, `${MAX_LINES} lines`)
  requireAtMost(body, TAB, MAX_MARKS, `${MAX_MARKS} tabs`)
  requireAtMost(body, QUOTE, MAX_MARKS, `${MAX_MARKS} quotation marks`)
}

function requireAtMost(body: Uint8Array, mark: number, most: number, limitText: string): void {
  let count = 0
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 1)) {
    count++
    if (count <= most) continue
    const message = `the manifest has more than ${limitText}; send it in parts`
    throw new EngineError('too_many', message, { at: 'body' })
  }
}

const badInput = (message: string, at: string) => new EngineError('bad_input', message, { at })

import { createReadStream } from 'node:fs'
import { counted, inflated, isGzip, peek } from '../formats/byte-source.ts'
import { FormatError } from '../formats/format-error.ts'
import { foreignFormat } from './foreign-format.ts'
import { type Line, type LineDecoder, splitLines } from './lines.ts'
import { findQuoting } from './quoting.ts'
import { RepeatedColumns } from './repeated-columns.ts'
import { HEAD_BYTES, type OpenOptions, READ_BYTES } from './source-file.ts'
import { type TableRow, tableRows } from './table-rows.ts'

/** The bytes of a table, each time from its beginning. */
export type TableContent = () => AsyncIterable<Uint8Array>

export interface TableFileOptions extends OpenOptions {
  /** Left out, lines are UTF-8. */
  readonly decode?: LineDecoder | undefined
}

/**
 * The rows of a tab-separated file, plain or gzip, as `tableContent` gives them.
 * @throws FormatError as tableContent; the error of the system or of zlib
 */
export function tableFile(
  path: string,
  { decode, signal, onRead }: TableFileOptions = {},
): AsyncGenerator<readonly TableRow[], void, undefined> {
  let isFirst = true
  const content = () => {
    const bytes = createReadStream(path, {
      ...{ highWaterMark: READ_BYTES },
      ...(signal && { signal }),
    })
    const told = isFirst ? onRead : undefined
    isFirst = false
    return counted(bytes, told)
  }
  return tableContent(content, decode)
}

/**
 * The rows of a tab-separated table, plain or gzip, a batch at a time. The first row has the names of the columns; comments above it,
 * which begin with `#`, are left out. Quotes are read if the whole table shows that it is quoted: the content is
 * asked for again at the first quote.
 * @param decode left out, lines are UTF-8
 * @throws FormatError for another format, which it names, a column that occurs twice with different cells, and a line
 *   that is too long or not UTF-8; the error of zlib; what the content throws
 */
export async function* tableContent(
  content: TableContent,
  decode?: LineDecoder,
): AsyncGenerator<readonly TableRow[], void, undefined> {
  const bytes = peek(plainOf(content))
  const lines = withoutComments(splitLines(bytes.all(), decode))
  const quoting = () => findQuoting(withoutComments(splitLines(plainOf(content), decodeBytes)))
  const foreign = foreignFormat(await bytes.head(HEAD_BYTES))
  if (foreign !== undefined) {
    await bytes.all().return()
    throw new FormatError(foreign)
  }
  yield* withoutDifferences(tableRows(lines, { separator: '\t', findQuoting: quoting }))
}

/** The bytes themselves, or what they inflate to when they begin as gzip does. */
async function* plainOf(content: TableContent): AsyncGenerator<Uint8Array, void, undefined> {
  const raw = peek(content())
  const isPacked = isGzip(await raw.head(2))
  const bytes = raw.all()
  try {
    yield* isPacked ? inflated(bytes) : bytes
  } finally {
    // Bytes may follow the end of gzip.
    await bytes.return()
  }
}

/** Quotes and tabs are the same in all encodings that tables have. */
const decodeBytes: LineDecoder = (bytes) => bytes.toString('latin1')

/** Leaves out the comments above the header. */
export async function* withoutComments(
  batches: AsyncIterable<readonly Line[]>,
): AsyncGenerator<readonly Line[], void, undefined> {
  let isAbove = true
  for await (const lines of batches) {
    const header = isAbove ? lines.findIndex(({ text }) => !text.startsWith('#')) : 0
    if (header < 0) continue
    isAbove = false
    yield header === 0 ? lines : lines.slice(header)
  }
}

async function* withoutDifferences(
  batches: AsyncIterable<readonly TableRow[]>,
): AsyncGenerator<readonly TableRow[], void, undefined> {
  let repeated: RepeatedColumns | undefined
  let isAbove = true
  for await (const rows of batches) {
    const [head, ...others] = rows
    if (isAbove && head) repeated = RepeatedColumns.find(head.cells.map(trimmed), head.line)
    if (repeated)
      for (const { cells, line } of isAbove ? others : rows) repeated.compare(cells, line)
    isAbove = false
    yield rows
  }
}

const trimmed = (name: string) => name.trim()

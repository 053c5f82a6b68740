import { createReadStream } from 'node:fs'
import { counted, peek, plainBytes } from '../formats/byte-source.ts'
import { FormatError } from '../formats/format-error.ts'
import { foreignFormat } from './foreign-format.ts'
import { type Line, type LineDecoder, splitLines } from './lines.ts'
import { findQuoting } from './quoting.ts'
import { RepeatedColumns } from './repeated-columns.ts'
import { HEAD_BYTES, type OpenOptions, READ_BYTES } from './source-file.ts'
import { type TableRow, tableRows } from './table-rows.ts'

/** Opens the bytes of a table. Each call starts from the beginning. */
export type TableContent = () => AsyncIterable<Uint8Array>

interface TableFileOptions extends OpenOptions {
  /** Decoder of lines. By default UTF-8. */
  readonly decode?: LineDecoder | undefined
}

/**
 * Yields the rows of a tab-separated file, plain or gzip, like `tableContent`.
 * @throws FormatError as tableContent; the system's error or zlib's
 */
export function tableFile(
  path: string,
  { decode, signal, onRead }: TableFileOptions = {},
): AsyncGenerator<readonly TableRow[], void, undefined> {
  let isFirst = true
  const content = () => {
    const bytes = createReadStream(path, {
      highWaterMark: READ_BYTES,
      ...(signal && { signal }),
    })
    const onFirstRead = isFirst ? onRead : undefined
    isFirst = false
    return counted(bytes, onFirstRead)
  }
  return tableContent(content, decode)
}

/**
 * Yields the rows of a tab-separated table, plain or gzip, in batches. The first row is the header; comment
 * lines (`#`) above it are skipped. Quoting is detected from the whole table: at the first quote, the content is
 * opened a second time.
 * @param decode decoder of lines, by default UTF-8
 * @throws FormatError for another format, which it names; for a repeated column with different cells; for a
 *   line that is too long or not UTF-8; zlib's error; the error of `content`
 */
export async function* tableContent(
  content: TableContent,
  decode?: LineDecoder,
): AsyncGenerator<readonly TableRow[], void, undefined> {
  const bytes = peek(plainBytes(content()))
  const lines = withoutComments(splitLines(bytes.all(), decode))
  const quoting = () =>
    findQuoting(withoutComments(splitLines(plainBytes(content()), decodeBytes)), '\t')
  const foreign = foreignFormat(await bytes.head(HEAD_BYTES))
  if (foreign !== undefined) {
    await bytes.all().return()
    throw new FormatError(foreign)
  }
  yield* withoutDifferences(tableRows(lines, { separator: '\t', findQuoting: quoting }))
}

/** Quotes and tabs have the same bytes in all supported encodings. */
const decodeBytes: LineDecoder = (bytes) => bytes.toString('latin1')

/** Skips the comment lines above the header. */
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

/**
 * Yields the rows unchanged. Compares the cells of columns that occur twice in the header.
 * @throws FormatError if two such columns have different cells in a row
 */
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

import { ByteSink } from '../../shared/formats/byte-sink.ts'
import { type TableForm, writeLine } from '../../shared/formats/table-cells.ts'
import { XML_DECLARATION, XmlWriter } from '../../shared/formats/xml.ts'
import { type PrintedTypes, writeOwnTable } from './write-table.ts'

const TARGET_BYTES = 4096
const NO_TYPES: PrintedTypes = new Map()

/** Returns JSON in UTF-8, indented by two spaces per level if `pretty`. */
export function jsonOf(
  value: unknown,
  { pretty = false }: { readonly pretty?: boolean } = {},
): Uint8Array<ArrayBuffer> {
  return encoded(JSON.stringify(value, null, pretty ? 2 : 0))
}

/** Returns an XML document with the root `response` (data-commons.md 3.6), indented by tabs if `pretty`. */
export function xmlOf(
  value: unknown,
  { pretty = false }: { readonly pretty?: boolean } = {},
): Uint8Array<ArrayBuffer> {
  const writer = new XmlWriter({ pretty })
  return encoded(XML_DECLARATION + writer.newLine + writer.element('response', value, 0))
}

/**
 * Renders a table of records (data-commons.md 3.5): `id` first if present, other columns ascending. Without
 * records, the output is empty.
 * @param types field types by dotted name; whole numbers of `double` and `float` get a decimal point
 */
export function tableOf(
  records: readonly object[],
  {
    form = 'tsv',
    types = NO_TYPES,
  }: { readonly form?: TableForm; readonly types?: PrintedTypes } = {},
): Uint8Array<ArrayBuffer> {
  if (records.length === 0) return new Uint8Array(0)
  const lines = new ByteSink(Buffer.allocUnsafe(TARGET_BYTES))
  const columns = writeOwnTable(records, lines, { form, types })
  const table = new ByteSink(Buffer.allocUnsafe(TARGET_BYTES))
  writeLine(
    table,
    columns.map(({ key }) => key),
    form,
  )
  table.bytes(lines.take())
  return table.take()
}

/** Encodes text into a buffer of its own, which can be transferred to another thread. */
function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

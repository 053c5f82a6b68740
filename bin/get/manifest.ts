import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { EngineError } from '../../engine/shared/index.ts'
import { explainSystemError } from '../../engine/shared/internal.ts'
import { isPlainId } from './names.ts'
import { described, type Wanted } from './wanted.ts'

/**
 * Reads a manifest: tab-separated under a header, of which `id` is needed and `filename`, `md5` and
 * `size` are used (data-commons.md 3.7; `file_name`, `md5sum`, `file_size` of a file table are the same).
 */
export async function readManifest(path: string): Promise<Wanted[]> {
  const title = `manifest "${basename(path)}"`
  // What the system refuses is thrown where rows are taken; nobody else hears of it.
  const rows = pipeline(
    createReadStream(path),
    parse({
      delimiter: '\t',
      quote: null,
      bom: true,
      columns: true,
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
      trim: true,
      max_record_size: 1 << 20,
    }),
    () => {},
  )
  const wanted: Wanted[] = []
  try {
    for await (const { record, info } of rows as AsyncIterable<Row>) {
      const { id = '' } = record
      if (!isPlainId(id)) {
        const found = record.id === undefined ? 'there is no column id' : `"${id}" is not a file id`
        throw new EngineError('bad_input', `${title}, line ${info.lines}: ${found}`)
      }
      wanted.push({ id, folder: id, ...described(descriptionOf(record)) })
    }
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw explainSystemError(cause, path)
    throw new EngineError('bad_input', `${title} is not a tab-separated table: ${cause.code}`)
  }
  return wanted
}

interface Row {
  readonly record: Readonly<Record<string, string>>
  readonly info: { readonly lines: number }
}

function descriptionOf({ filename, file_name, md5, md5sum, size, file_size }: Row['record']) {
  return { name: filename ?? file_name, md5: md5 ?? md5sum, size: size ?? file_size }
}

/** Ids of the command line first, then of the manifests; each file once, whatever its case. */
export function uniteWanted(lists: readonly (readonly Wanted[])[]): Wanted[] {
  const byId = new Map<string, Wanted>()
  for (const one of lists.flat()) {
    const key = one.id.toLowerCase()
    const before = byId.get(key)
    byId.set(key, before ? { ...one, ...before } : one)
  }
  return [...byId.values()]
}

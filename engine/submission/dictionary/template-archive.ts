import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { pack } from 'tar-stream'
import type { Dictionary } from './dictionary.ts'
import type { EntityType } from './entity-type.ts'
import { type TemplateFormat, templateText } from './templates.ts'

/** Modification time of files in the archive, constant so that equal dictionaries give equal archives. */
const MODIFIED = new Date(0)

/** Returns a tar.gz with the templates of several types, one file each. */
export async function templateArchive(
  dictionary: Dictionary,
  types: readonly EntityType[],
  format: TemplateFormat,
): Promise<Uint8Array<ArrayBuffer>> {
  const archive = pack()
  for (const type of types) {
    // All types together take ten milliseconds, and many clients may request them at once.
    await setImmediate()
    const name = `${type.name}.${format}`
    archive.entry({ name, mtime: MODIFIED }, templateText(dictionary, type, format))
  }
  archive.finalize()
  return promisify(gzip)(await buffer(archive))
}

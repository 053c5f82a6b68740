import { readFileSync } from 'node:fs'
import { EngineError } from '../../engine/shared/index.ts'

const SETTING = 'CASEMILL_HTSGET_IDS'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Maximum size of the table. A million ids take less. */
const MAX_BYTES = 256 << 20

/** Maximum number of files per id. Each has another format. */
const MAX_FILES = 8

/**
 * Reads a table of htsget ids for files whose ids differ: id and file id, separated by a tab, without a header.
 * If several lines have the same id, they give the file in several formats, of which the first is the default.
 * Empty lines and lines that start with # are skipped.
 * @throws EngineError `bad_input` that names the invalid line
 */
export function readAliases(path: string | null): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  if (path === null) return found
  for (const [i, line] of textOf(path).split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [id = '', fileId = '', ...others] = line.split('\t')
    if (id === '' || !UUID.test(fileId) || others.length > 0) {
      throw refused(`line ${i + 1} is not an id, a tab and the UUID of a file`)
    }
    const files = found.get(id) ?? []
    if (files.length === MAX_FILES)
      throw refused(`line ${i + 1} is one more of ${MAX_FILES} of its id`)
    found.set(id, [...files, fileId.toLowerCase()])
  }
  return found
}

function textOf(path: string): string {
  try {
    const bytes = readFileSync(path)
    if (bytes.length <= MAX_BYTES) return bytes.toString('utf8')
  } catch (cause) {
    throw refused('the file cannot be read; give a table of ids and file ids', cause)
  }
  throw refused(`the file has more than ${MAX_BYTES} bytes`)
}

function refused(what: string, cause?: unknown): EngineError {
  return new EngineError('bad_input', `setting ${SETTING}: ${what}`, { cause, at: SETTING })
}

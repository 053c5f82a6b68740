import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job } from '../../shared/executor.ts'
import { type DictionaryIssue, DictionaryIssues } from './issues.ts'
import { resolveReferences } from './resolve.ts'

/** Contents of the files of a dictionary, keyed by name without `.yaml`, with references resolved. */
export interface DictionaryFiles {
  readonly files: ReadonlyMap<string, unknown>
  readonly issues: readonly DictionaryIssue[]
}

const MAX_FILES = 1000
const MAX_FILE_BYTES = 8 << 20
const MAX_BYTES = 64 << 20
/** Maximum number of alias expansions, by the YAML library's counting. */
const MAX_ALIASES = 1000

/**
 * Reads the YAML files of a folder and resolves references. Runs as a job, because parsing the built-in
 * dictionary takes half a second.
 */
export const readDictionaryJob: Job<string, DictionaryFiles> = {
  name: 'dictionary.read',
  run: readDictionary,
}

async function readDictionary(folder: string): Promise<DictionaryFiles> {
  const issues = new DictionaryIssues()
  const parsed = new Map<string, unknown>()
  let bytes = 0
  for (const name of await namesIn(folder, issues)) {
    const { size } = await stat(join(folder, name))
    bytes += size
    if (size > MAX_FILE_BYTES || bytes > MAX_BYTES) {
      const limit = `${MAX_FILE_BYTES >> 20} MiB, and all files ${MAX_BYTES >> 20} MiB`
      issues.add(name, '', `is too large; a file may have ${limit}`)
      break
    }
    try {
      parsed.set(
        name.slice(0, -'.yaml'.length),
        await parseYaml(await readFile(join(folder, name))),
      )
    } catch (error) {
      // Reached for invalid UTF-8, invalid YAML, too many aliases, or nesting too deep for the stack.
      issues.add(name, '', `cannot be read as plain YAML 1.2 in UTF-8: ${firstLine(error)}`)
    }
  }
  // Stops here, because references to a file that was not read would be reported as more problems.
  if (issues.all.length > 0) return { files: new Map(), issues: issues.all }
  return { files: resolveReferences(parsed, issues), issues: issues.all }
}

async function parseYaml(bytes: Buffer): Promise<unknown> {
  // The module is loaded here, because only worker threads need it and it would slow down every start.
  const { parseDocument } = await import('yaml')
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  const document = parseDocument(text, { logLevel: 'silent' })
  const wrong = document.errors[0] ?? document.warnings[0]
  if (wrong) throw wrong
  return document.toJS({ maxAliasCount: MAX_ALIASES })
}

async function namesIn(folder: string, issues: DictionaryIssues): Promise<readonly string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort()
    if (names.length > 0 && names.length <= MAX_FILES) return names
    issues.add('', '', `the folder has ${names.length} files .yaml; use 1 to ${MAX_FILES}`)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
    issues.add('', '', `the folder cannot be read (${reason}); use one with a file for each type`)
  }
  return []
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/:$/, '')
}

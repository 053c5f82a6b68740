import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  type AnsweredLines,
  type Counted,
  type Naaccr,
  type NaaccrDictionary,
  readDictionary,
} from '../engine/registry/index.ts'
import { EngineError } from '../engine/shared/index.ts'
import { IssuesFound } from './frame.ts'
import { deliverLines } from './line-file.ts'
import type { Terminal } from './terminal.ts'

// Functions shared by the commands that read registry files.

/** Returns a function that finds a dictionary by URI, first in the given files, then among imported ones. */
export async function dictionaryFinder(
  paths: readonly string[] | undefined,
  naaccr: Naaccr,
  signal: AbortSignal,
): Promise<(uri: string) => Promise<NaaccrDictionary | undefined>> {
  const dictionaries = new Map<string, NaaccrDictionary>()
  for (const path of paths ?? []) {
    const dictionary = await readDictionary(path, signal)
    dictionaries.set(dictionary.uri, dictionary)
  }
  return async (uri) => dictionaries.get(uri) ?? (await naaccr.dictionary(uri))
}

/** A file to process and the path of its results. */
interface FileRun {
  readonly path: string
  readonly output: string | undefined
}

/**
 * Processes files one after another. The results of several files are written to a folder, under the names of
 * the files. If a file fails, the others are still processed.
 * @param extension extension of result files if there are several, such as `xml`
 * @throws EngineError bad_input if there are several files and no folder, or two files with the same name; for
 *   a single file, its own error
 * @throws IssuesFound if one of several files failed
 */
export async function processFiles(
  paths: readonly string[],
  { output, extension }: { readonly output: string | undefined; readonly extension: string },
  terminal: Terminal,
  process: (run: FileRun) => Promise<void>,
): Promise<void> {
  const [path = '', ...others] = paths
  if (others.length === 0) return process({ path, output })
  const runs = await resultsIn(output, paths, extension)
  let failed = 0
  for (const run of runs) {
    try {
      await process(run)
    } catch (error) {
      const isOfFile = error instanceof EngineError || error instanceof IssuesFound
      if (terminal.signal.aborted || !isOfFile) throw error
      if (error instanceof EngineError) terminal.explain(`casemill: ${run.path}: ${error.message}`)
      failed++
    }
  }
  if (failed === 0) return
  terminal.explain(
    `casemill: ${failed} of ${runs.length} files have faults, which are listed above`,
  )
  throw new IssuesFound()
}

async function resultsIn(
  folder: string | undefined,
  paths: readonly string[],
  extension: string,
): Promise<readonly FileRun[]> {
  if (folder === undefined || paths.includes('-')) {
    const message = `there are ${paths.length} files; give a folder for their results, such as -o results`
    throw new EngineError(
      'bad_input',
      folder === undefined ? message : 'standard input is one file; give it alone',
    )
  }
  const runs = paths.map((path) => {
    const name = basename(path)
      .replace(/\.gz$/i, '')
      .replace(/\.(?:xml|txt|dat)$/i, '')
    return { path, output: join(folder, `${name}.${extension}`) }
  })
  const outputs = runs.map((run) => run.output)
  const twice = runs.find((run, i) => outputs.indexOf(run.output) !== i)
  if (twice) {
    const message = `two files would be written to "${twice.output}"; rename one of them`
    throw new EngineError('bad_input', message)
  }
  await mkdir(folder, { recursive: true })
  return runs
}

interface AnsweredFile extends AnsweredLines {
  /** Returns the error that ended the file. Call it after the results have been read. */
  ended(): Error | undefined
}

interface Delivery<File> {
  readonly file: string | undefined
  readonly output: string | undefined
  /** Prints the summary, also of a file that breaks. */
  readonly explain: () => void
  readonly terminal: Terminal
  /** Transforms the results before they are written. */
  readonly through?: (results: File) => AnsweredLines
}

/**
 * Writes the results of a file up to its end, or up to the error that ends it.
 * @throws IssuesFound if a line was rejected; the error that ended the file
 */
export async function deliverResults<File extends AnsweredFile>(
  results: File,
  { file, output, explain, terminal, through = (all) => all }: Delivery<File>,
): Promise<void> {
  try {
    await deliverLines(through(untilEnded(results)), { file, output }, terminal)
  } catch (error) {
    // Rejected lines were reported already, but not the error that ended the file.
    if (!(error instanceof IssuesFound && results.ended())) throw error
  } finally {
    explain()
  }
  const ended = results.ended()
  if (ended) throw ended
}

/** Yields the results up to an error in the file, so that results before the error are written. */
function untilEnded<File extends AnsweredFile>(file: File): File {
  async function* answered(): AsyncGenerator<Uint8Array> {
    try {
      yield* file.body
    } catch (error) {
      if (error !== file.ended()) throw error
    }
  }
  return { ...file, body: answered() }
}

/** Maximum number of counts of each kind that are printed. */
const MAX_SHOWN = 20

/**
 * Prints the most frequent counts of each kind.
 * @param kinds descriptions of the kinds, in the order in which they are printed
 */
export function printCounts(
  counts: readonly Counted[],
  kinds: Readonly<Record<string, string>>,
  terminal: Terminal,
): void {
  for (const [kind, what] of Object.entries(kinds)) {
    const some = counts.filter((one) => one.kind === kind)
    if (some.length === 0) continue
    const sum = some.reduce((total, { count }) => total + count, 0)
    terminal.explain(`casemill: warning: ${what}: ${sum}`)
    for (const one of some.slice(0, MAX_SHOWN)) terminal.explain(`  ${countText(one)}`)
    const more = some.length - MAX_SHOWN
    if (more > 0) terminal.explain(`  and ${more} more of these`)
  }
}

const countText = ({ code, of, count, line }: Counted) =>
  `${of === undefined ? code : `${of}: ${code}`}, ${count === 1 ? 'once, on' : `${count} times, first on`} line ${line}`

import { stat } from 'node:fs/promises'
import { EngineError } from '../../shared/errors.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { listSources } from '../../shared/input/source-file.ts'
import { explainSystemError } from '../../shared/input/system-error.ts'
import { type TarLimits, tarEntries } from '../../shared/input/tar-entries.ts'
import { readTextFile } from '../../shared/input/text-file.ts'
import { zipEntries } from '../../shared/input/zip-entries.ts'
import { errorIn } from '../error-in.ts'
import type { NaaccrItem } from './model.ts'
import { readPage } from './read-page.ts'

/** A version has about a thousand pages of a few kilobytes, and an archive may contain all versions. */
const LIMITS: TarLimits = { entries: 50_000, entryBytes: 1 << 20, totalBytes: 256 << 20 }

/**
 * Matches the path of a page, such as `naaccr25/addrAtDxState.html`. The folder names the version of the page. A
 * page in another folder, or in none, counts as a page of the version that is being read.
 */
const PAGE = /(?:^|[\\/])(?:naaccr(\d\d)[\\/])?([^\\/]+)\.html$/

/**
 * Reads the pages of a version, keyed by file name without `.html`: which is the item's id, or the number of a
 * retired item without an id. Pages of other versions are ignored.
 * @param path a folder of pages, or an archive of one: zip or tar, plain or gzip
 * @param version two digits, such as `25`
 * @throws EngineError like tarEntries and zipEntries; `bad_input` for an unreadable page, for two pages with
 *   the same key, or if there is no page of the version
 */
export async function readPages(
  path: string,
  version: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Partial<NaaccrItem>>> {
  const pages = new Map<string, Partial<NaaccrItem>>()
  const otherVersions = new Set<string>()
  for await (const { name, text } of pathsAndTexts(path, signal)) {
    const [, pageVersion = version, key] = PAGE.exec(name) ?? []
    if (key === undefined) continue
    if (pageVersion !== version) otherVersions.add(pageVersion)
    else if (pages.has(key)) throw refused(`there are two pages of "${key}"`)
    else pages.set(key, pageOf(name, await text()))
  }
  if (pages.size > 0) return pages
  const has = otherVersions.size > 0 ? `; it has those of ${[...otherVersions].join(', ')}` : ''
  throw refused(`the documentation has no page (NAME.html) of version ${version}${has}`)
}

function pageOf(name: string, text: string): Partial<NaaccrItem> {
  try {
    return readPage(text)
  } catch (cause) {
    throw errorIn(name, cause instanceof FormatError ? refused(cause.message) : cause, ': ')
  }
}

interface PathAndText {
  /** Path of the file, or its path within the archive. */
  readonly name: string
  readonly text: () => string | Promise<string>
}

/** Yields the files of a folder or archive. The text must be requested before the next file. */
async function* pathsAndTexts(
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<PathAndText> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw explainSystemError(cause, path)
  })
  if (stats.isDirectory()) {
    for (const { path: file, name } of await listSources([path])) {
      yield { name, text: () => readTextFile(file, { maxBytes: LIMITS.entryBytes, signal }) }
    }
  } else if (/\.zip$/i.test(path)) {
    // The third argument ends the error message for a file that is no zip archive.
    yield* zipEntries(path, { ...LIMITS, ratio: 50 }, 'an archive of pages')
  } else {
    for await (const { name, text } of tarEntries(path, LIMITS, { signal })) {
      yield { name, text: () => text }
    }
  }
}

const refused = (message: string) => new EngineError('bad_input', message)

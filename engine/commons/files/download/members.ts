import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Scratch } from '../../../shared/executor.ts'
import { cellOf } from '../../../shared/formats/table-cells.ts'
import type { Release } from '../../release/release.ts'
import { annotationLines, annotationText } from './annotation-text.ts'
import type { Found, FoundFile } from './resolve.ts'
import type { Member } from './tar.ts'

/** Contents of an archive. All files have been found and permitted. */
export interface ArchiveContents {
  /** Requested files and annotations, in the order of the request. */
  readonly found: readonly Found[]
  /** Files, such as indexes, that are sent together with the requested files. Keyed by id. */
  readonly related: ReadonlyMap<string, FoundFile>
  /** Ids of the annotations that are sent with each file, by file id. */
  readonly annotations: ReadonlyMap<string, readonly string[]>
}

/** Maximum number of files per archive. Their metadata stay in memory while the archive is sent. */
export const MAX_FILES = 10_000
const MAX_ANNOTATIONS = 100_000

interface MembersRun {
  readonly scratch: Scratch
  readonly turns?: LoopTurns
}

/**
 * Returns the members of an archive in order (data-commons.md 5.1): MANIFEST.txt if there are several files,
 * each file with its related files, and the requested annotations. A file whose bytes are not stored here is
 * left out and listed in MANIFEST.txt (data-commons.md 11.32).
 * @throws EngineError too_many, corrupt_source
 */
export async function membersOf(
  contents: ArchiveContents,
  release: Release | undefined,
  { scratch, turns = new LoopTurns() }: MembersRun,
): Promise<readonly Member[]> {
  const files = await turns.run(placedFiles(contents))
  const lines = await linesFor(contents, release, { scratch, turns })
  const members = files.flatMap(({ path, file: { stored } }): Member[] =>
    stored ? [{ path, contents: stored }] : [],
  )
  const annotations = contents.found.filter(({ kind }) => kind === 'annotation').map(({ id }) => id)
  const isListed = files.length > 1 || members.length < files.length
  return [
    ...(isListed ? [{ path: 'MANIFEST.txt', contents: await turns.run(manifestText(files)) }] : []),
    ...members,
    ...(await turns.run(annotationMembers(contents, lines, members))),
    ...(annotations.length > 0
      ? [{ path: 'annotations.txt', contents: annotationText(annotations, lines) }]
      : []),
  ]
}

interface PlacedFile {
  readonly path: string
  readonly file: FoundFile
}

/** Assigns each file a unique path, in the folder of the requested file with which it is sent. */
function* placedFiles({ found, related }: ArchiveContents): Generator<void, readonly PlacedFile[]> {
  const paths = new Set<string>()
  const placed: PlacedFile[] = []
  for (const requested of found) {
    yield
    if (requested.kind === 'annotation') continue
    const belonging = requested.related.flatMap(({ id }) => related.get(id) ?? [])
    for (const file of [requested, ...belonging]) {
      const plain = `${requested.id}/${file.fileName}`
      const path = paths.has(plain) ? `${requested.id}/${file.id}_${file.fileName}` : plain
      if (paths.has(path)) continue
      paths.add(path)
      placed.push({ path, file })
    }
  }
  if (placed.length <= MAX_FILES) return placed
  throw tooMany(`the archive would have ${placed.length} files`, `${MAX_FILES} files`)
}

async function linesFor(
  { found, annotations }: ArchiveContents,
  release: Release | undefined,
  { scratch, turns }: Required<MembersRun>,
): Promise<ReadonlyMap<string, string>> {
  const ids = found.flatMap(({ kind, id }) =>
    kind === 'annotation' ? [id] : (annotations.get(id) ?? []),
  )
  if (ids.length === 0 || !release) return new Map()
  if (ids.length <= MAX_ANNOTATIONS) return annotationLines(ids, release, scratch, turns)
  throw tooMany(`the archive would have ${ids.length} annotations`, `${MAX_ANNOTATIONS}`)
}

function* annotationMembers(
  { annotations }: ArchiveContents,
  lines: ReadonlyMap<string, string>,
  members: readonly Member[],
): Generator<void, readonly Member[]> {
  const taken = new Set(members.map(({ path }) => path))
  const texts: Member[] = []
  for (const [fileId, ids] of annotations) {
    yield
    const path = `${fileId}/annotations.txt`
    // A requested file with the same name takes precedence.
    if (!taken.has(path)) texts.push({ path, contents: annotationText(ids, lines) })
  }
  return texts
}

function* manifestText(files: readonly PlacedFile[]): Generator<void, Uint8Array> {
  const lines = ['id\tfilename\tmd5\tsize\tstate\n']
  for (const { path, file } of files) {
    yield
    const { id, stored, md5, size, state } = file
    const stateText = stored ? cellOf(state, false) : 'not stored'
    lines.push(`${[id, cellOf(path, false), md5, size, stateText].join('\t')}\n`)
  }
  return Buffer.from(lines.join(''))
}

const tooMany = (what: string, most: string) =>
  new EngineError('too_many', `${what}; request at most ${most} at a time`, { at: 'ids' })

import { EngineError } from '../../shared/errors.ts'
import { Scratch } from '../../shared/executor.ts'
import { datasetOf } from '../datasets/index.ts'
import { rowsOf } from '../files/records/described-files.ts'
import { arraysOf } from '../release/arrays.ts'
import type { Release } from '../release/release.ts'
import { filesOf, filesOfKeys } from '../search/linked-files.ts'
import { readRecords } from '../search/read-records.ts'
import { Selections } from '../search/selections.ts'
import type { BundleMember } from './drs-object.ts'
import { type FoundRowsRun, rowsOfFiles } from './found-rows.ts'

/** Maximum number of files per bundle, which is also the limit of a download. */
const MAX_MEMBERS = 10_000
/** Maximum number of files in all bundles of a request. */
const MAX_CONTENTS = 20_000
/** Number of records read without yielding to the event loop, which takes a few milliseconds. */
const BATCH_ROWS = 128

const LISTED = ['file_id', 'file_name', 'file_size', 'md5sum']
const FIELDS = [...LISTED, ...LISTED.map((name) => `index_files.${name}`)]

/** Finds the files of a bundle in a release. Results are not cached. */
export class BundleMembers {
  readonly #release: Release
  readonly #run: FoundRowsRun

  constructor(release: Release, run: FoundRowsRun) {
    this.#release = release
    this.#run = run
  }

  /**
   * Returns the files of a case together with their index files. Undefined if there is no such case.
   * @throws EngineError too_large, corrupt_source
   */
  async ofCase(caseId: string): Promise<readonly BundleMember[] | undefined> {
    const row = (await rowsOf('cases', [caseId], this.#release)).get(caseId)
    if (row === undefined) return undefined
    const loaded = await this.#release.load(filesOfKeys('cases'), this.#run)
    return this.#members(filesOf('cases', Uint32Array.of(row), arraysOf(loaded)))
  }

  /**
   * Returns the files of a project with a data type, together with their index files. Empty if there are none.
   * @throws EngineError too_large, corrupt_source, busy
   */
  async ofProject(projectId: string, dataType: string): Promise<readonly BundleMember[]> {
    const values = { 'cases.project.project_id': projectId, data_type: dataType }
    return this.#members(await rowsOfFiles(values, MAX_MEMBERS + 1, this.#release, this.#run))
  }

  async #members(rows: Uint32Array): Promise<readonly BundleMember[]> {
    const release = this.#release
    const { projection } = new Selections().of(datasetOf('files'), { fields: FIELDS }, 'list')
    const scratch = new Scratch()
    const members = new Map<string, BundleMember>()
    requireFewMembers(rows.length)
    for (let at = 0; at < rows.length; at += BATCH_ROWS) {
      await this.#run.turns.pause()
      this.#run.signal?.throwIfAborted()
      const batch = rows.slice(at, at + BATCH_ROWS)
      for (const hit of await readRecords(projection, batch, { release, scratch })) {
        for (const listed of [hit, ...[hit.index_files].flat()]) {
          const member = memberOf(listed)
          if (member) members.set(member.id, member)
        }
      }
      requireFewMembers(members.size)
    }
    // The next step sorts and names thousands of files at once.
    await this.#run.turns.pause()
    return [...members.values()]
  }
}

/**
 * Checks the number of files in all bundles of a request.
 * @throws EngineError too_large for more than MAX_CONTENTS
 */
export function requireFewContents(count: number): void {
  if (count <= MAX_CONTENTS) return
  const message = `the bundles have more than ${MAX_CONTENTS} files; request fewer bundles at a time`
  throw new EngineError('too_large', message, { at: 'bulk_object_ids' })
}

function requireFewMembers(count: number): void {
  if (count <= MAX_MEMBERS) return
  const message = `the bundle has more than ${MAX_MEMBERS} files; request bundles of its cases, or a manifest`
  throw new EngineError('too_large', message)
}

/** Returns undefined for a file without a recorded checksum or size, which cannot be a DRS object. */
function memberOf(listed: unknown): BundleMember | undefined {
  const { file_id, file_name, file_size, md5sum } = (listed ?? {}) as Record<string, unknown>
  if (typeof file_id !== 'string' || typeof md5sum !== 'string') return undefined
  if (typeof file_size !== 'number') return undefined
  const id = file_id.toLowerCase()
  const fileName = typeof file_name === 'string' && file_name !== '' ? file_name : id
  return { id, fileName, md5: md5sum.toLowerCase(), size: file_size }
}

import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, type JsonObject, textIn } from '../../shared/input/json-value.ts'
import { splitLines } from '../../shared/input/lines.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import type { VersionStep } from '../files/versions/step.ts'
import { DocumentReader } from '../release/documents.ts'
import { VERSIONS_NAME } from '../release/layout.ts'
import { Release } from '../release/release.ts'
import { unlistIds } from './listed-ids.ts'
import { idOf, madeId } from './record-id.ts'
import { RANKS } from './split-record.ts'
import type { Staging } from './staging.ts'
import { retiredVersion } from './versions.ts'
import { type Withdrawn, withdraw } from './withdraw.ts'

/** Name of the file in a release's folder that records how the release was built. */
export const ORIGIN_NAME = 'import.json'

/** State that an import stores for the next import. */
export interface Origin {
  /** Members of each project that were derived rather than given by a source, keyed by project id. */
  readonly derivedOfProjects: Readonly<Record<string, readonly string[]>>
  /** Number of the release for which the documents were made. It is set if later releases reused them. */
  readonly documentsOf?: string
  /**
   * Fingerprint of each project's submitted entities in the release (submission/publish/fingerprint.ts),
   * keyed by project id.
   */
  readonly submitted?: Readonly<Record<string, string>>
  /** Fingerprint of the redactions that the release applies. */
  readonly redacted?: string
}

/** Number of rows to read at once. */
const BATCH = 1024

/** Names of members that any release fills in, or that only name the record. */
const FILLED: Readonly<Partial<Record<DatasetName, RegExp>>> = {
  projects:
    /^(project_id|code|name|primary_site|disease_type|released|releasable|state|program|summary)$/,
  cases:
    /^(case_id|submitter_id|project|samples|state|summary|annotations|available_variation_data|\w+_ids)$/,
}

interface ReadRelease {
  /** Records and members to leave out of the next release. */
  readonly withdrawn?: Withdrawn | undefined
  readonly signal?: AbortSignal | undefined
  readonly onRecords?: ((records: number) => void) | undefined
}

/**
 * Stages all records of a release as the first source of the next release.
 * @returns the reference build of the first variant that has one
 */
export async function readRelease(
  folder: string,
  staging: Staging,
  { signal, onRecords, withdrawn = NOTHING }: ReadRelease,
): Promise<string | undefined> {
  const release = await Release.open(folder)
  let build: string | undefined
  try {
    const origin = await readOrigin(folder)
    for (const dataset of DATASET_NAMES) {
      const handle = await release.documents(dataset)
      const reader = new DocumentReader(handle)
      for (let row = 0; row < handle.rows; row += BATCH) {
        signal?.throwIfAborted()
        const count = Math.min(BATCH, handle.rows - row)
        const rows = Uint32Array.from({ length: count }, (_, i) => row + i)
        for (const text of reader.read(rows)) {
          const document = JSON.parse(text)
          if (dataset === 'cases') unlistIds(document)
          else if (dataset === 'ssms' || dataset === 'cnvs') build ??= textIn(document.agency_build)
          if (withdraw(dataset, document, withdrawn)) stage(staging, dataset, document, origin)
          else if (dataset === 'files') staging.putStep(redactedVersion(document), RANKS.described)
        }
        onRecords?.(count)
        // Reading blocks the thread, so the event loop runs between batches.
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await stageVersions(folder, release, { staging, withdrawn })
    return build
  } finally {
    await release.close()
  }
}

const NOTHING: Withdrawn = Object.freeze({ ids: new Set<string>(), members: new Map() })

/** Returns the version step for a redacted file, which has no successor. */
function redactedVersion(document: JsonObject): VersionStep {
  const { file_id: id, ...others } = document
  return { ...retiredVersion(others), id: String(id), state: REDACTED }
}

/** State of versions whose files were removed from later releases. */
const REDACTED = 'redacted'

function stage(staging: Staging, dataset: DatasetName, document: JsonObject, origin: Origin): void {
  const known = idOf(DATASETS[dataset], document)
  if (!known) throw new Error(`a record of ${dataset} has no id`)
  const derived = dataset === 'projects' ? origin.derivedOfProjects[known.id] : undefined
  for (const name of derived ?? []) delete document[name]
  const { id, key } = known
  const filled = FILLED[dataset]
  staging.put({
    dataset,
    id,
    // Generated ids are UUIDs of version 5.
    isMade: id[14] === '5' && key !== undefined && madeId(dataset, key) === id,
    key,
    rank: RANKS.release,
    isDescribed: filled === undefined || Object.keys(document).some((name) => !filled.test(name)),
    document,
  })
}

/** Reads the state that the import of a release stored for the next import. */
export async function readOrigin(folder: string): Promise<Origin> {
  const text = await unlessAbsent(readFile(join(folder, ORIGIN_NAME), 'utf8'))
  const origin: unknown = text === undefined ? undefined : JSON.parse(text)
  return isOrigin(origin) ? origin : { derivedOfProjects: {} }
}

const isOrigin = (value: unknown): value is Origin =>
  isObject(value) && isObject(value.derivedOfProjects)

async function stageVersions(
  folder: string,
  release: Release,
  { staging, withdrawn }: { readonly staging: Staging; readonly withdrawn: Withdrawn },
): Promise<void> {
  if (!release.manifest.files[VERSIONS_NAME]) return
  for await (const lines of splitLines(createReadStream(join(folder, VERSIONS_NAME)))) {
    for (const { text } of lines) {
      const step = JSON.parse(text) as VersionStep & JsonObject
      const id = textIn(step.id)
      if (id === undefined) continue
      const isGone = withdrawn.ids.has(id.toLowerCase())
      staging.putStep(isGone ? { ...step, state: REDACTED } : step, RANKS.release)
    }
  }
}

import { consentOf } from '../../../shared/access/guards.ts'
import { Scratch } from '../../../shared/executor.ts'
import { datasetOf } from '../../datasets/index.ts'
import type { Release } from '../../release/release.ts'
import { readRecords } from '../../search/read-records.ts'
import { Selections } from '../../search/selections.ts'

type Codes = ReadonlyMap<string, readonly string[]>

/** Consent codes of the projects of releases, which are read once per release. */
export class ProjectConsent {
  readonly #known = new WeakMap<Release, Promise<Codes>>()

  /**
   * Returns the consent codes of each project, keyed by its id.
   * @throws EngineError corrupt_source if the release is damaged
   */
  of(release: Release): Promise<Codes> {
    const known = this.#known.get(release)
    if (known) return known
    const codes = read(release)
    this.#known.set(release, codes)
    // A failed reading is not kept.
    codes.catch(() => this.#known.delete(release))
    return codes
  }
}

async function read(release: Release): Promise<Codes> {
  const { rows } = release.manifest.datasets.projects
  const { projection } = new Selections().of(
    datasetOf('projects'),
    { fields: ['project_id', 'consent'] },
    'list',
  )
  const all = Uint32Array.from({ length: rows }, (_, i) => i)
  const hits = await readRecords(projection, all, { release, scratch: new Scratch() })
  return new Map(hits.map((hit) => [String(hit.project_id), consentOf(hit.consent)]))
}

import {
  consentOf,
  type Guard,
  type Guarded,
  type GuardedProject,
  guardOf,
  isOpen,
} from '../../../shared/access/guards.ts'
import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import type { Scratch } from '../../../shared/executor.ts'
import { datasetOf } from '../../datasets/index.ts'
import type { Release } from '../../release/release.ts'
import type { Projection } from '../../render/projection.ts'
import { readRecords } from '../../search/read-records.ts'
import { Selections } from '../../search/selections.ts'
import { RELATED_GROUPS } from './listed-files.ts'

/** Facts about a file from its own record or from a record that lists it. Facts that are not there are undefined. */
export interface FileFacts {
  /** Id in lower case. */
  readonly id: string
  readonly fileName: string | undefined
  readonly size: number | undefined
  readonly md5: string | undefined
  readonly state: string
  readonly dataFormat: string | undefined
}

/** The parts of a file's record that downloads use. */
export interface FileRecord extends FileFacts {
  readonly guard: Guard
  /** Index files, then metadata files. Each has the access rules that this record gives it. */
  readonly related: readonly RelatedFile[]
}

export interface RelatedFile extends FileFacts {
  readonly group: (typeof RELATED_GROUPS)[number]
  readonly guard: Guard
}

type Hit = Readonly<Record<string, unknown>>

const LISTED = ['file_id', 'file_name', 'file_size', 'md5sum', 'state', 'access', 'data_format']
const FIELDS = [
  ...LISTED,
  'acl',
  'consent',
  ...RELATED_GROUPS.flatMap((group) => LISTED.map((name) => `${group}.${name}`)),
]
const PROJECT_FIELDS = [
  'cases.case_id',
  'cases.project.project_id',
  'cases.project.registry_accession_number',
  'cases.project.consent',
  'cases.project.program.registry_accession_number',
]

/** Returns projections of the fields that decide who may read the bytes of files. */
export function guardProjections(): readonly Projection[] {
  const selections = new Selections()
  return [FIELDS, PROJECT_FIELDS].map(
    (fields) => selections.of(datasetOf('files'), { fields }, 'list').projection,
  )
}

/** Number of records per batch, which takes a few milliseconds. */
const BATCH_ROWS = 32

/** Reads file records on the calling thread in small batches, yielding to the event loop in between. */
export class FileRecordReader {
  readonly #selections = new Selections()
  readonly #scratch: Scratch
  readonly #turns: LoopTurns

  constructor(scratch: Scratch, turns: LoopTurns) {
    this.#turns = turns
    this.#scratch = scratch
  }

  /**
   * Returns records keyed by row. The release must stay open meanwhile.
   * @throws EngineError corrupt_source if the release is damaged
   */
  async read(rows: readonly number[], release: Release): Promise<Map<number, FileRecord>> {
    const found = new Map<number, FileRecord>()
    for (let at = 0; at < rows.length; at += BATCH_ROWS) {
      await this.#turns.pause()
      const batch = Uint32Array.from(rows.slice(at, at + BATCH_ROWS))
      const hits = await this.#hits(FIELDS, batch, release)
      // Cases make a record large, so they are read only for files that are not open.
      const closed = batch.filter((_, i) => !isWhollyOpen(hits[i] ?? {}))
      const cases = await this.#hits(PROJECT_FIELDS, closed, release)
      const projects = new Map(Array.from(closed, (row, i) => [row, projectsOf(cases[i] ?? {})]))
      for (const [i, row] of batch.entries()) {
        found.set(row, recordOf(hits[i] ?? {}, projects.get(row)))
      }
    }
    return found
  }

  async #hits(
    fields: readonly string[],
    rows: Uint32Array,
    release: Release,
  ): Promise<readonly Hit[]> {
    if (rows.length === 0) return []
    const { projection } = this.#selections.of(datasetOf('files'), { fields }, 'list')
    return readRecords(projection, rows, { release, scratch: this.#scratch })
  }
}

/** Returns whether the record and all files that it lists are open. Their projects are then not needed. */
function isWhollyOpen(hit: Hit): boolean {
  const listed = RELATED_GROUPS.flatMap((group) => objectsOf(hit[group]))
  return isOpen(hit.access) && listed.every(({ access }) => access === undefined || isOpen(access))
}

function recordOf(hit: Hit, projects: readonly GuardedProject[] | undefined): FileRecord {
  const guarded: Guarded = { access: hit.access, acl: hit.acl, consent: hit.consent, projects }
  const guard = guardOf(guarded)
  const related = RELATED_GROUPS.flatMap((group) =>
    objectsOf(hit[group])
      .filter(({ file_id: id }) => textOf(id) !== undefined)
      .map((listed) => {
        // A listed file has the access of the record, or the stricter access that its own entry states.
        const says = listed.access ?? hit.access
        const own = guard.isOpen && !isOpen(says) ? guardOf({ ...guarded, access: says }) : guard
        return { ...factsOf(listed), group, guard: own }
      }),
  )
  return { ...factsOf(hit), guard, related }
}

function factsOf(hit: Hit): FileFacts {
  return {
    id: (textOf(hit.file_id) ?? '').toLowerCase(),
    fileName: textOf(hit.file_name),
    size: typeof hit.file_size === 'number' ? hit.file_size : undefined,
    md5: textOf(hit.md5sum)?.toLowerCase(),
    state: textOf(hit.state) ?? '',
    dataFormat: textOf(hit.data_format),
  }
}

/** Returns the projects of a file's cases. Undefined if a case has none, so that no rights suffice. */
function projectsOf(hit: Hit): readonly GuardedProject[] | undefined {
  const projects: GuardedProject[] = []
  for (const one of objectsOf(hit.cases)) {
    const [project] = objectsOf(one.project)
    const id = textOf(project?.project_id)
    if (!project || id === undefined) return undefined
    const [program] = objectsOf(project.program)
    const accessions = [project, program]
      .flatMap((named) => [named?.registry_accession_number].flat())
      .filter((name) => typeof name === 'string')
    projects.push({ id, accessions, consent: consentOf(project.consent) })
  }
  return projects
}

function objectsOf(value: unknown): readonly Hit[] {
  return [value].flat().filter((one) => typeof one === 'object' && one !== null) as Hit[]
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

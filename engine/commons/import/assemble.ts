import { join } from 'node:path'
import { isObject, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { mostFrequent } from '../../shared/input/name-counts.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { settleSpecimens } from './biospecimen/settle.ts'
import { findTwins, type PossibleTwins } from './case-twins.ts'
import { Facts } from './facts.ts'
import { FileLinks } from './file-links.ts'
import { finishCase } from './finish-case.ts'
import { finishGeneChange } from './finish-copy-number.ts'
import { finishFile } from './finish-file.ts'
import { linkFinisher } from './finish-links.ts'
import { finishMutation, finishOccurrence } from './finish-mutation.ts'
import { type DerivedMember, finishProject } from './finish-project.ts'
import { GeneFacts } from './gene-facts.ts'
import { type Identities, settleIdentities } from './identities.ts'
import { LineWriter } from './line-writer.ts'
import { takeIds } from './made-ids.ts'
import type { Conflict, Conflicts } from './merge.ts'
import { type AlonePart, type MergedRecord, mergedRecords } from './record-stream.ts'
import type { DatasetReport, FieldConflict } from './report.ts'
import { RANKS } from './split-record.ts'
import type { Staging } from './staging.ts'
import { type SymbolReport, UnknownSymbols } from './unknown-symbols.ts'
import { retiredVersion } from './versions.ts'

interface AssembleOptions {
  /** Folder to write the files to. */
  readonly folder: string
  readonly release: string
  readonly lastRelease: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called periodically with the number of parts merged since the last call. */
  readonly onParts?: ((parts: number) => void) | undefined
}

export interface Assembled {
  /** Paths of the NDJSON files with the documents of each dataset, in ascending order of ids. */
  readonly sources: Readonly<Partial<Record<DatasetName, string>>>
  readonly datasets: Readonly<Record<DatasetName, DatasetReport>>
  readonly derivedOfProjects: Readonly<Record<string, readonly DerivedMember[]>>
  readonly resolvedByName: number
  readonly resolvedBySpecimens: number
  readonly resolvedByFiles: number
  readonly twins: PossibleTwins
  /** Real case ids, keyed by generated id. */
  readonly realCases: ReadonlyMap<string, string>
  readonly unknownSymbols: SymbolReport
  readonly casesWithoutProject: number
  readonly aliveWithDeath: number
  readonly seenAfterDeath: number
  readonly filesWithoutCase: number
}

/** Files are written before cases and cases before projects, because each counts the ones before it. */
const ORDER: readonly DatasetName[] = [
  'files',
  'cases',
  'projects',
  ...DATASET_NAMES.filter((name) => !['files', 'cases', 'projects'].includes(name)),
]

/** Number of ids of dangling records in a report. */
const MAX_IDS = 5

/**
 * Merges the staged parts of each record into one document, derives members from other records, and writes the
 * documents to files.
 */
export async function assemble(staging: Staging, options: AssembleOptions): Promise<Assembled> {
  const identities = await settleIdentities(staging)
  const conflicts: Conflicts = new Map()
  await settleSpecimens(staging, conflicts, options.signal)
  const twins = await findTwins(staging)
  const facts = await Facts.open(staging.database)
  const assembling = new Assembling(staging, { identities, facts, conflicts, twins }, options)
  for (const dataset of ORDER) await assembling.write(dataset)
  return assembling.result()
}

/** Results that must be complete before the first document is written. */
interface Found {
  readonly identities: Identities
  readonly facts: Facts
  /** Conflicts between descriptions of specimens. */
  readonly conflicts: Conflicts
  readonly twins: PossibleTwins
}

/** Last step of the assembly of a dataset: derives members of its merged records. */
interface Finishing {
  readonly finish: (record: MergedRecord) => unknown
  /** Whether a record that has only one part can be copied with the ending of that part (finish-alone.ts). */
  readonly copiesAlone?: boolean
  /** Called for each record that is copied. */
  readonly noteCopied?: () => void
}

class Assembling {
  readonly #staging: Staging
  readonly #identities: Identities
  readonly #facts: Facts
  readonly #specimenConflicts: Conflicts
  readonly #twins: PossibleTwins
  readonly #genes = new GeneFacts()
  readonly #symbols = new UnknownSymbols()
  readonly #options: AssembleOptions
  readonly #projectOf: (caseId: string) => string | undefined
  readonly #sources: Partial<Record<DatasetName, string>> = {}
  readonly #reports: Partial<Record<DatasetName, DatasetReport>> = {}
  readonly #derived: Record<string, readonly DerivedMember[]> = {}
  #casesWithoutProject = 0
  #aliveWithDeath = 0
  #seenAfterDeath = 0
  #filesWithoutCase = 0

  constructor(
    staging: Staging,
    { identities, facts, conflicts, twins }: Found,
    options: AssembleOptions,
  ) {
    this.#staging = staging
    this.#identities = identities
    this.#facts = facts
    this.#specimenConflicts = conflicts
    this.#twins = twins
    this.#options = options
    const projects = staging.projectOfCase
    for (const [made, real] of identities.realCases) {
      const project = projects.get(made)
      if (project !== undefined && !projects.has(real)) projects.set(real, project)
    }
    this.#projectOf = (id) => projects.get(id)
  }

  async write(dataset: DatasetName): Promise<void> {
    const { folder, signal, onParts } = this.#options
    const conflicts: Conflicts = new Map(dataset === 'cases' ? this.#specimenConflicts : [])
    let firstConflict: FieldConflict | undefined
    const onConflict = (conflict: Conflict, record: JsonObject) => {
      firstConflict ??= shownConflict(conflict, record, DATASETS[dataset].idField)
    }
    const danglingIds: string[] = []
    let dangling = 0
    const { finish, copiesAlone, noteCopied } = await this.#finishing(dataset)
    // The summaries of cases are joined to the parts in the database.
    if (dataset === 'cases' && this.#facts.hasLinks) await this.#staging.unsort(dataset)
    const links = dataset === 'files' ? new FileLinks(this.#staging) : undefined
    const writer = await LineWriter.create(join(folder, `${dataset}.ndjson`))
    try {
      const records = mergedRecords(this.#staging, {
        dataset,
        ...{ conflicts, onConflict },
        ...(dataset === 'files' ? { extras: this.#identities.fileVersions } : {}),
        ...(dataset === 'cases' ? { extras: this.#facts.caseSummaries } : {}),
        ...(dataset === 'cases' ? { onPart: takeBackIds } : {}),
      })
      for await (const batch of records) {
        signal?.throwIfAborted()
        for (const record of batch) {
          // A file that has earlier versions (`extra`) or cases must be finished, so it cannot be copied.
          const isUnjoined = record.extra === null && !(await links?.has(record.id))
          const alone = copiesAlone && isUnjoined ? record.alone : undefined
          if (alone) noteCopied?.()
          else {
            if (links) await links.addTo(record.document, record.id)
            if (finish(record) === 'history') continue
          }
          const written = alone
            ? writer.add(...finishedText(alone))
            : writer.add(JSON.stringify(record.document))
          if (written) await written
          if (record.isDescribed) continue
          dangling++
          if (danglingIds.length < MAX_IDS) danglingIds.push(record.id)
        }
        onParts?.(batch.reduce((sum, { parts }) => sum + parts, 0))
      }
      await links?.proveUsed()
    } finally {
      await links?.close()
      await writer.close()
    }
    if (dataset === 'files') this.#facts.endFiles()
    if (dataset === 'cases') this.#facts.endCases()
    if (writer.lines > 0) this.#sources[dataset] = writer.path
    this.#reports[dataset] = {
      records: writer.lines,
      dangling,
      danglingIds,
      conflicts: mostFrequent(conflicts),
      ...(firstConflict && { firstConflict }),
    }
  }

  result(): Assembled {
    return {
      sources: this.#sources,
      datasets: this.#reports as Record<DatasetName, DatasetReport>,
      derivedOfProjects: this.#derived,
      resolvedByName: this.#identities.resolvedByName,
      resolvedBySpecimens: this.#identities.resolvedBySpecimens,
      resolvedByFiles: this.#identities.resolvedByFiles,
      twins: this.#twins,
      realCases: this.#identities.realCases,
      unknownSymbols: this.#symbols.report,
      casesWithoutProject: this.#casesWithoutProject,
      aliveWithDeath: this.#aliveWithDeath,
      seenAfterDeath: this.#seenAfterDeath,
      filesWithoutCase: this.#filesWithoutCase,
    }
  }

  async #finishing(dataset: DatasetName): Promise<Finishing> {
    if (dataset === 'files') {
      return {
        finish: (record) => this.#finishFile(record),
        copiesAlone: true,
        noteCopied: () => this.#filesWithoutCase++,
      }
    }
    if (dataset === 'cases') return { finish: (record) => this.#finishCase(record) }
    if (dataset === 'projects') {
      const facts = await this.#facts.projects()
      const finish = ({ id, document }: MergedRecord) => {
        const derived = finishProject(document, id, facts.get(id))
        if (derived.length > 0) this.#derived[id] = derived
      }
      return { finish }
    }
    // Genes are written before the variants that refer to them.
    if (dataset === 'genes') return { finish: ({ id, document }) => this.#genes.add(id, document) }
    if (dataset === 'ssms' || dataset === 'cnvs') {
      const finishVariant = dataset === 'ssms' ? finishMutation : finishGeneChange
      const hasModel = !this.#genes.isEmpty
      const finish = ({ document }: MergedRecord) => {
        finishVariant(document, this.#genes)
        if (hasModel) this.#symbols.note(document)
      }
      return { finish, copiesAlone: !hasModel }
    }
    const finishLinks = linkFinisher(DATASETS[dataset], {
      realCases: this.#identities.realCases,
      projectOf: this.#projectOf,
    })
    const finish = ({ document }: MergedRecord) => {
      if (dataset.endsWith('_occurrences')) finishOccurrence(document)
      finishLinks?.(document)
    }
    return { finish, copiesAlone: finishLinks === undefined }
  }

  #finishFile({ id, document, extra }: MergedRecord): 'history' | undefined {
    const earlierVersions = typeof extra === 'number' ? extra : 0
    if (earlierVersions < 0) {
      this.#facts.addRetired(id, retiredVersion(document))
      return 'history'
    }
    const { release, lastRelease } = this.#options
    finishFile(document, {
      projectOf: this.#projectOf,
      release,
      lastRelease,
      earlierVersions,
    })
    if (objectsIn(document.cases).length === 0) this.#filesWithoutCase++
    this.#facts.addFile(document)
    return undefined
  }

  #finishCase({ id, document, extra }: MergedRecord): void {
    finishCase(document, id, typeof extra === 'string' ? JSON.parse(extra) : undefined)
    if (!isObject(document.project)) this.#casesWithoutProject++
    if (objectsIn(document.demographic).some(isAliveWithDeath)) this.#aliveWithDeath++
    if (isSeenAfterDeath(document)) this.#seenAfterDeath++
    this.#facts.addCase(id, document)
  }
}

const isAliveWithDeath = ({ vital_status: status, days_to_death: days }: JsonObject) =>
  status === 'Alive' && typeof days === 'number'

function isSeenAfterDeath({ demographic, diagnoses }: JsonObject): boolean {
  const death = objectsIn(demographic)[0]?.days_to_death
  if (typeof death !== 'number') return false
  return objectsIn(diagnoses).some(({ days_to_last_follow_up: days }) => Number(days) > death)
}

/** Number of characters of a value in a report. */
const MAX_SHOWN = 80

function shownConflict(
  { path, values }: Conflict,
  record: JsonObject,
  idField: string,
): FieldConflict {
  const [one, other] = values
  const shown = (value: typeof one) => JSON.stringify(value).slice(0, MAX_SHOWN)
  const name = textIn(record.submitter_id) ?? textIn(record[idField]) ?? ''
  return { record: name, field: path, values: [shown(one), shown(other)] }
}

function takeBackIds(document: JsonObject, rank: number, id: string): void {
  if (rank === RANKS.release) takeIds(document, id)
}

/**
 * Reads a document. If an ending was stored behind it, the ending replaces the document's last byte, its closing
 * brace.
 */
function finishedText({ ending, bytes: read }: AlonePart): readonly Uint8Array[] {
  const bytes = read()
  if (ending === 0) return [bytes]
  const length = bytes.length - ending
  return [bytes.subarray(0, length - 1), bytes.subarray(length)]
}

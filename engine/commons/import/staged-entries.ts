import { hash } from 'node:crypto'
import { type Json, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import type { DatasetName } from '../datasets/define.ts'
import type { VersionStep } from '../files/versions/step.ts'
import { CLINICAL_IDS } from './clinical-ids.ts'
import { addedAlone } from './finish-alone.ts'
import { type Part, RANKS, type Rank } from './split-record.ts'

/** Destination of the parts that are read from a source. */
export interface StagingTarget {
  /** Sets the source of the following parts. */
  from(source: string): void
  /** Sets the line in the source of the following parts. */
  atLine(line: number): void
  put(part: Part): void
  putWritten(part: WrittenPart): void
  /** Adds a version step: a file that another file replaced. It becomes part of the history, not a record. */
  putStep(step: VersionStep, rank: Rank): void
}

/** A part whose document is already a text. */
export interface WrittenPart extends Omit<Part, 'document'> {
  readonly text: string
  /**
   * Text that replaces the closing brace of the document if the record has no other part. '' if the document
   * stays unchanged. Undefined if only the end of the import shows what must change (finish-alone.ts).
   */
  readonly ending: string | undefined
}

/** A text, or its bytes in UTF-8. */
export type StagedText = string | Uint8Array

/** A text that many parts repeat, with a digest so that it is stored only once. */
export interface RepeatedText {
  readonly text: StagedText
  readonly digest: string
}

export interface PartEntry extends Omit<Part, 'document'> {
  /**
   * Number of bytes that are stored after the text of the document and replace its closing brace if the record
   * has no other part. 0 if the document stays unchanged. Undefined if only the end of the import shows what must
   * change (finish-alone.ts).
   */
  readonly ending: number | undefined
}

/** A record's id, and its natural key if it has one. */
export type NamedEntry = Pick<PartEntry, 'dataset' | 'id' | 'isMade' | 'key'>

/** Destination of staged entries: texts with the record that each belongs to. */
export interface EntrySink {
  /** Number of the release being made, such as `32.0`, or undefined if it is not known yet. */
  readonly release: string | undefined
  putProject(caseId: string, projectId: string): void
  /**
   * Adds an entity of a case, such as a diagnosis.
   * @param entity kind and id of the entity
   */
  putEntity(caseId: string, entity: string): void
  /** Adds the natural key of a record whose part is put elsewhere. */
  putName(entry: NamedEntry): void
  /** Adds a description of a case's samples. */
  putSpecimens(caseId: string, rank: Rank, samples: RepeatedText): void
  /**
   * Adds a link from a file to one of its cases.
   * @param cases number of cases in the file's record
   */
  putLink(
    link: { readonly fileId: string; readonly caseId: string; readonly cases: number },
    samples: RepeatedText | undefined,
  ): void
  /**
   * Returns whether the same text was passed before, and remembers it, so it must be called exactly once for
   * each part that is embedded in another record. A repeated part need not be put. May always return false:
   * putPart then finds repeats by their digests, which takes longer.
   */
  isRepeated(dataset: DatasetName, rank: Rank, text: string): boolean
  /**
   * Adds the text of a part, with its ending.
   * @param digest identifies parts that are stored only once
   */
  putPart(entry: PartEntry, text: StagedText, digest: string | undefined): void
  putStepText(
    step: { readonly id: string; readonly next?: string | undefined },
    rank: Rank,
    text: StagedText,
  ): void
}

/** Number of bytes of the checksum to use as digest. */
const DIGEST_LENGTH = 12

/** Splits a part into entries and adds them. */
export function stagePart(part: Part, sink: EntrySink): void {
  if (part.dataset === 'cases') {
    stageProject(part, sink)
    stageEntities(part.id, part.document, sink)
  }
  const document = stageSpecimens(part, sink)
  const added = addedAlone(part.dataset, part.document, sink.release)
  stageWritten({ ...part, text: JSON.stringify(document), ending: added && endingOf(added) }, sink)
}

/**
 * Adds a part that is already text. It must not contain samples, a project or linked cases, because only
 * `stagePart` separates them.
 */
export function stageWritten(part: WrittenPart, sink: EntrySink): void {
  const { dataset, id, isMade, key, rank, isDescribed, text, ending } = part
  // Parts that are a whole record rarely repeat, but embedded ones often do.
  if (isInside(rank) && sink.isRepeated(dataset, rank, text)) return
  const digest = isInside(rank) ? digestOf(text) : undefined
  const bytes = ending === undefined ? undefined : Buffer.byteLength(ending)
  const entry = { dataset, id, isMade, key, rank, isDescribed, ending: bytes }
  sink.putPart(entry, ending ? text + ending : text, digest)
}

/** Returns whether parts of a rank come from other records or older tables. Of equal ones, only one is merged. */
export const isInside = (rank: number) => rank === RANKS.embedded || rank === RANKS.hearsay

/** Returns the text that replaces the last brace of a document in order to add members. '' if there are none. */
export function endingOf(added: JsonObject): string {
  const members = JSON.stringify(added).slice(1)
  return members === '}' ? '' : `,${members}`
}

/** Adds a step of a file's version history to the sink. */
export function stageStep(step: VersionStep, rank: Rank, sink: EntrySink): void {
  sink.putStepText({ id: step.id, next: step.next?.id }, rank, JSON.stringify(step))
}

/** Adds the clinical entities of a case that have ids, at all depths. */
function stageEntities(caseId: string, parent: JsonObject, sink: EntrySink): void {
  for (const [list, idField] of CLINICAL_LISTS) {
    if (!Object.hasOwn(parent, list)) continue
    for (const entity of objectsIn(parent[list])) {
      const id = textIn(entity[idField])
      const noun = idField.slice(0, -'_id'.length).replaceAll('_', ' ')
      if (id !== undefined) sink.putEntity(caseId, `${noun} "${id.toLowerCase()}"`)
      stageEntities(caseId, entity, sink)
    }
  }
}

const CLINICAL_LISTS = Object.entries({ demographic: 'demographic_id', ...CLINICAL_IDS })

function stageProject({ id, document }: Part, sink: EntrySink): void {
  const { project } = document
  if (typeof project !== 'object' || project === null || Array.isArray(project)) return
  const projectId = textIn((project as { readonly project_id?: string }).project_id)
  if (projectId !== undefined) sink.putProject(id, projectId)
}

/**
 * Stages the samples and the linked cases of a part separately, so that all descriptions of a case are stored
 * together (biospecimen/settle.ts). Returns the rest of the document.
 */
function stageSpecimens({ dataset, id, rank, document }: Part, sink: EntrySink): JsonObject {
  if (dataset === 'cases' && Array.isArray(document.samples)) {
    const { samples, ...rest } = document
    const text = samplesText(samples)
    if (!text) return document
    sink.putSpecimens(id, rank, text)
    return rest
  }
  if (dataset === 'files' && Array.isArray(document.cases)) {
    const { cases, ...rest } = document
    const linked = objectsIn(cases)
    for (const each of linked) {
      const link = { fileId: id, caseId: String(each.case_id), cases: linked.length }
      sink.putLink(link, samplesText(each.samples))
    }
    return rest
  }
  return document
}

/** Returns the JSON text of a list of samples. Undefined if the list is empty or missing. */
function samplesText(samples: Json | undefined): RepeatedText | undefined {
  if (!Array.isArray(samples) || samples.length === 0) return undefined
  const text = JSON.stringify(samples)
  return { text, digest: digestOf(text) }
}

const digestOf = (text: string) => hash('sha1', text, 'binary').slice(0, DIGEST_LENGTH)

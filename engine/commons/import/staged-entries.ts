import { hash } from 'node:crypto'
import { type Json, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import type { VersionStep } from '../files/versions/step.ts'
import { type Part, RANKS, type Rank } from './split-record.ts'

/** What takes the parts of records from an intake. */
export interface StagingTarget {
  /** What is put from now on is from another source. */
  from(source: string): void
  /** What is put from now on is from another line of the source. */
  atLine(line: number): void
  put(part: Part): void
  /** A file that was replaced by another one; it is history, not a record. */
  putStep(step: VersionStep, rank: Rank): void
}

/** A text, or the bytes of its UTF-8. */
export type StagedText = string | Uint8Array

/** A text that is said again and again, and what stands for it. */
export interface RepeatedText {
  readonly text: StagedText
  readonly digest: string
}

export type PartEntry = Omit<Part, 'document'>

/** What becomes of parts: texts, and which record each belongs to. */
export interface EntrySink {
  putProject(caseId: string, projectId: string): void
  /** What a case's record says of its samples. */
  putSpecimens(caseId: string, rank: Rank, samples: RepeatedText): void
  /**
   * A case that a file is of.
   * @param cases how many the file's record has
   */
  putLink(
    link: { readonly fileId: string; readonly caseId: string; readonly cases: number },
    samples: RepeatedText | undefined,
  ): void
  /** @param digest of parts that are staged once, however often they are said */
  putPart(entry: PartEntry, text: StagedText, digest: string | undefined): void
  putStepText(
    step: { readonly id: string; readonly next?: string | undefined },
    rank: Rank,
    text: StagedText,
  ): void
}

/** Bytes of a checksum that stand for a text. */
const DIGEST_LENGTH = 12

/** Brings a part into the form in which it is staged. */
export function stagePart(part: Part, sink: EntrySink): void {
  const { dataset, rank } = part
  if (dataset === 'cases') stageProject(part, sink)
  const text = JSON.stringify(stageSpecimens(part, sink))
  // Records that name themselves come once; what is inside of others is said again and again.
  const isInside = rank === RANKS.embedded || rank === RANKS.hearsay
  sink.putPart(part, text, isInside ? digestOf(text) : undefined)
}

export function stageStep(step: VersionStep, rank: Rank, sink: EntrySink): void {
  sink.putStepText({ id: step.id, next: step.next?.id }, rank, JSON.stringify(step))
}

function stageProject({ id, document }: Part, sink: EntrySink): void {
  const { project } = document
  if (typeof project !== 'object' || project === null || Array.isArray(project)) return
  const projectId = textIn((project as { readonly project_id?: string }).project_id)
  if (projectId !== undefined) sink.putProject(id, projectId)
}

/**
 * Stages what a part says of specimens, and which cases a file is of, where all that is said of one
 * case is found together (biospecimen/settle.ts). Gives the rest of the part's document.
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

/** The text of a list of samples; `undefined` when there is none. */
function samplesText(samples: Json | undefined): RepeatedText | undefined {
  if (!Array.isArray(samples) || samples.length === 0) return undefined
  const text = JSON.stringify(samples)
  return { text, digest: digestOf(text) }
}

const digestOf = (text: string) => hash('sha1', text, 'binary').slice(0, DIGEST_LENGTH)

import type { Database } from '../../shared/database/database.ts'
import { inlineExecutor } from '../../shared/executor.ts'
import {
  type AnsweredLines,
  LineBatches,
  type LineSource,
  type LinesRun,
} from '../ndjson-batch/line-batches.ts'
import { yearOfSystem } from '../staging/algorithm/year-clock.ts'
import { type CompareLines, compareLinesJob } from './compare-lines.ts'
import { comparePair } from './compare-pair.ts'
import { CurrentRules } from './current-rules.ts'
import { doubtsOfPair } from './doubts.ts'
import {
  type ImportedHematopoietic,
  importHematopoietic,
  useShipped,
} from './import-hematopoietic.ts'
import { comparePatient, type PatientResult } from './patient.ts'
import { TableRepository } from './repository.ts'
import type { MphGroup, MphResult } from './result.ts'
import type { SamePrimarySource } from './same-primary.ts'
import { parsePair } from './tumour.ts'

export interface MultiplePrimariesOptions {
  /**
   * As sharedState opens it.
   * @internal
   */
  readonly state: Database
  /** The current year in four digits; left out, that of the system's clock. */
  readonly yearNow?: (() => string) | undefined
  /** Left out, batches are compared on the calling thread. */
  readonly batches?: LineBatches | undefined
}

export interface CompareOptions {
  /** Told of dates that are taken otherwise than they may be meant. */
  readonly warn?: (sentence: string) => void
}

/**
 * Whether tumours are one disease or several (registry-service.md 4.4, registry.md 7.8, multiple-primaries.md). Bodies are
 * JSON as it was parsed, answers are plain JSON. What is wrong with a tumour is part of the answer;
 * one that is missing or no object, or a member that is no text, is EngineError bad_input.
 */
export class MultiplePrimaries {
  readonly #repository: TableRepository
  readonly #yearNow: () => number
  readonly #current: CurrentRules
  readonly #batches: LineBatches

  constructor({ state, yearNow = yearOfSystem(), batches }: MultiplePrimariesOptions) {
    this.#repository = new TableRepository(state)
    this.#yearNow = () => Number(yearNow())
    this.#current = new CurrentRules(this.#repository, this.#yearNow)
    this.#batches = batches ?? new LineBatches(inlineExecutor)
  }

  /** Compares two tumours: `{"input1": {...}, "input2": {...}}`. */
  async compare(body: unknown, { warn }: CompareOptions = {}): Promise<MphResult> {
    const pair = parsePair(body)
    if (warn) for (const text of doubtsOfPair(pair, this.#yearNow())) warn(text)
    return comparePair(await this.#current.rules(), pair)
  }

  /**
   * Compares pairs, one per line of JSON, and answers a line for each, in order: an MphResult, with
   * `warnings` where dates are taken otherwise than they may be meant. All are compared by the tables,
   * and in the year, of the beginning.
   * @throws EngineError busy
   */
  compareLines(lines: LineSource, run: LinesRun = {}): Promise<AnsweredLines> {
    const given = () => this.comparedBy()
    return this.#batches.start(lines, { job: compareLinesJob, given }, run)
  }

  /**
   * All that compareLines compares by, of now, for lines that other processes compare.
   * @internal
   */
  comparedBy(): Promise<CompareLines> {
    return this.#current.given()
  }

  /** Compares all tumours of a patient with each other: `{"tumours": [...]}`; see comparePatient. */
  async patient(body: unknown, { warn }: CompareOptions = {}): Promise<PatientResult> {
    return comparePatient(await this.#current.rules(), body, this.#yearNow(), warn)
  }

  /** Ids of the groups of rules, in the order in which they are tried. */
  async groups(): Promise<readonly string[]> {
    return (await this.#current.rules()).groups()
  }

  /**
   * Whether the tables in use list a morphology as the same primary as another; see Rules.
   * @internal
   */
  async samePrimaries(): Promise<SamePrimarySource<string>> {
    const rules = await this.#current.rules()
    return { matches: (...asked) => rules.listsAsSame(...asked) }
  }

  /** @throws EngineError not_found */
  async group(id: string): Promise<MphGroup> {
    return (await this.#current.rules()).group(id)
  }

  /** Replaces tables of hematopoietic pairs by those of files; see importHematopoietic. */
  import(
    paths: readonly string[],
    run: { readonly dryRun?: boolean } = {},
  ): Promise<ImportedHematopoietic> {
    return importHematopoietic(this.#repository, paths, run)
  }

  /** Goes back to the tables that come with the program. */
  useShipped(run: { readonly dryRun?: boolean } = {}): Promise<ImportedHematopoietic> {
    return useShipped(this.#repository, run)
  }
}

import type { DatabaseSync } from 'node:sqlite'
import { inlineExecutor } from '../../shared/executor.ts'
import { type AnsweredLines, LineBatches, type LineSource } from '../ndjson-batch/line-batches.ts'
import { yearOfSystem } from '../staging/algorithm/year-clock.ts'
import { compareLinesJob } from './compare-lines.ts'
import { comparePair } from './compare-pair.ts'
import { CurrentRules } from './current-rules.ts'
import {
  type ImportedHematopoietic,
  importHematopoietic,
  useShipped,
} from './import-hematopoietic.ts'
import { comparePatient, type PatientResult } from './patient.ts'
import { TableRepository } from './repository.ts'
import type { MphGroup, MphResult } from './result.ts'
import { parsePair } from './tumour.ts'

export interface MultiplePrimariesOptions {
  readonly state: DatabaseSync
  /** The current year in four digits; left out, that of the system's clock. */
  readonly yearNow?: (() => string) | undefined
  /** Left out, batches are compared on the calling thread. */
  readonly batches?: LineBatches | undefined
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
  compare(body: unknown): MphResult {
    return comparePair(this.#current.rules, parsePair(body))
  }

  /**
   * Compares pairs, one per line of JSON, and answers a line for each, in order. All are compared
   * by the tables, and in the year, of the beginning.
   * @throws EngineError busy
   */
  compareLines(
    lines: LineSource,
    run: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<AnsweredLines> {
    const given = () => this.#current.given
    return this.#batches.start(lines, { job: compareLinesJob, given }, run)
  }

  /** Compares all tumours of a patient with each other: `{"tumours": [...]}`; see comparePatient. */
  patient(body: unknown): PatientResult {
    return comparePatient(this.#current.rules, body, this.#yearNow())
  }

  /** Ids of the groups of rules, in the order in which they are tried. */
  groups(): readonly string[] {
    return this.#current.rules.groups()
  }

  /** Whether the tables in use list a morphology as the same primary as another; see Rules. */
  listsAsSame(morphology: string, other: string, year: number): boolean {
    return this.#current.rules.listsAsSame(morphology, other, year)
  }

  /** @throws EngineError not_found */
  group(id: string): MphGroup {
    return this.#current.rules.group(id)
  }

  /** Replaces tables of hematopoietic pairs by those of files; see importHematopoietic. */
  import(
    paths: readonly string[],
    run: { readonly dryRun?: boolean } = {},
  ): Promise<ImportedHematopoietic> {
    return importHematopoietic(this.#repository, paths, run)
  }

  /** Goes back to the tables that come with the program. */
  useShipped(run: { readonly dryRun?: boolean } = {}): ImportedHematopoietic {
    return useShipped(this.#repository, run)
  }
}

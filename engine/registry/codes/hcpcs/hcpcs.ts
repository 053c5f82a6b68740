import { type Caller, requireRole } from '../../../shared/access/roles.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { HistoryPageRequest } from '../../../shared/input/read-page.ts'
import { type AtRevision, type HeldRevisions, requireHeld } from '../../../shared/revision.ts'
import { type EditSources, storeEdit } from '../code-edit.ts'
import { type CodeHistoryEntry, codeHistory } from '../code-history.ts'
import { CodeSearch } from '../code-search.ts'
import type { CodesOptions } from '../codes.ts'
import { importCategories } from '../import-categories.ts'
import { CodeRepository } from '../repository.ts'
import { type CodePage, type CodeRequest, queryOf } from '../search-request.ts'
import type { CodeImport, ImportedCodes } from '../tables/import-run.ts'
import { parseNewProcedure, parseProcedure } from './bodies.ts'
import { importHcpcs } from './import-hcpcs.ts'
import { HCPCS_ORDERS, indexedProcedure } from './indexed.ts'
import { type HcpcsProcedure, procedureOf } from './procedure.ts'
import { PROCEDURE_CATEGORIES } from './procedure-categories.ts'

/**
 * Procedures (registry-service.md 4.3, registry.md 2.3, 2.5, 3). They are edited here and updated from
 * published tables. Every edit is durable, together with its history entry, before the call returns.
 *
 * All methods throw EngineError: `not_found`, `already_exists`, `conflict` for deleting a missing procedure,
 * `bad_input` naming the member or parameter, `forbidden` if the caller lacks a role, and
 * `precondition_failed`.
 */
export class Hcpcs {
  readonly #repository: CodeRepository
  readonly #sources: EditSources<HcpcsProcedure>
  readonly #search: CodeSearch<HcpcsProcedure>

  constructor({ state, clock }: CodesOptions) {
    this.#repository = new CodeRepository(state, 'hcpcs')
    this.#sources = { repository: this.#repository, clock, describe: procedureOf }
    this.#search = new CodeSearch({
      repository: this.#repository,
      indexed: indexedProcedure,
      describe: procedureOf,
    })
  }

  async procedure(_caller: Caller, code: string): Promise<AtRevision<HcpcsProcedure>> {
    const stored = (await this.#repository.record(code)) ?? missing(code)
    return { record: procedureOf(stored), revision: stored.revision }
  }

  async create(caller: Caller, body: unknown): Promise<AtRevision<HcpcsProcedure>> {
    requireRole(caller, 'HCPCS_EDITOR')
    const { code, content } = parseNewProcedure(body)
    return this.#repository.transaction(async (edits) => {
      if (await edits.record(code)) {
        throw new EngineError('already_exists', `HCPCS code '${code}' already exists.`)
      }
      return storeEdit({ ...this.#sources, edits }, caller, undefined, (date) => ({
        code,
        listings: '{}',
        own: JSON.stringify(content),
        dateAdded: date,
        dateModified: date,
        dateRemoved: null,
      }))
    })
  }

  async update(
    caller: Caller,
    code: string,
    body: unknown,
    held?: HeldRevisions,
  ): Promise<AtRevision<HcpcsProcedure>> {
    requireRole(caller, 'HCPCS_EDITOR')
    const own = JSON.stringify(parseProcedure(body, code))
    return this.#repository.transaction(async (edits) => {
      const before = (await edits.record(code)) ?? missing(code)
      requireHeld(held, before.revision)
      return storeEdit({ ...this.#sources, edits }, caller, before, (dateModified) => ({
        ...before,
        own,
        dateModified,
      }))
    })
  }

  async delete(caller: Caller, code: string, held?: HeldRevisions): Promise<void> {
    requireRole(caller, 'HCPCS_EDITOR')
    await this.#repository.transaction(async (edits) => {
      const before = await edits.record(code)
      // The API contract requires conflict here rather than not_found (registry.md 2.5).
      if (!before) throw new EngineError('conflict', `HCPCS code '${code}' does not exist.`)
      requireHeld(held, before.revision)
      await edits.delete(code)
      const old = JSON.stringify(procedureOf(before))
      const date = this.#sources.clock().toISOString()
      const event = { code, type: 'DEL', date, user: caller.user, old } as const
      await edits.addEvents(await edits.nextRevision(), [event])
    })
  }

  /** Finds procedures. Results are ordered by code, or by score if the request has words. */
  search(_caller: Caller, request: CodeRequest = {}): Promise<CodePage<HcpcsProcedure>> {
    return this.#search.page(queryOf(request, HCPCS_ORDERS))
  }

  /** Returns a page of the history of a procedure, which may have been deleted since. */
  async history(
    _caller: Caller,
    code: string,
    request: HistoryPageRequest = {},
  ): Promise<CodeHistoryEntry<HcpcsProcedure>[]> {
    const entries = await codeHistory(this.#repository, code, request, procedureOf)
    return entries.length > 0 || (await this.#repository.knows(code)) ? entries : missing(code)
  }

  /** Counts the history entries of a procedure. */
  countHistory(code: string): Promise<number> {
    return this.#repository.countEvents(code)
  }

  /** Imports categories, classes and drugs; see importCategories. */
  importCategories(path: string, run: CodeImport): Promise<ImportedCodes> {
    return importCategories(this.#sources, path, PROCEDURE_CATEGORIES, run)
  }

  /** Imports a published table; see importHcpcs. */
  import(path: string, run: CodeImport): Promise<ImportedCodes> {
    return importHcpcs(this.#sources, path, run)
  }
}

function missing(code: string): never {
  throw new EngineError('not_found', `HCPCS code '${code}' does not exist.`)
}

import { type Caller, requireRole } from '../../../shared/access/roles.ts'
import type { HistoryPageRequest } from '../../../shared/input/read-page.ts'
import { type AtRevision, type HeldRevisions, requireHeld } from '../../../shared/revision.ts'
import type { OrderRange } from '../../full-text/record.ts'
import { type EditSources, storeEdit } from '../code-edit.ts'
import { type CodeHistoryEntry, codeHistory } from '../code-history.ts'
import { CodeSearch } from '../code-search.ts'
import type { CodesOptions } from '../codes.ts'
import { importCategories } from '../import-categories.ts'
import { CodeRepository } from '../repository.ts'
import { type CodePage, type CodeRequest, queryOf, rangeSince } from '../search-request.ts'
import type { CodeImport, ImportedCodes } from '../tables/import-run.ts'
import { parseRegistryPart } from './bodies.ts'
import { findHyphenated, findProduct } from './find-product.ts'
import { importNdc, type NdcTables } from './import-ndc.ts'
import { indexedProduct, NDC_ORDERS } from './indexed.ts'
import type { NdcProduct } from './product.ts'
import { PRODUCT_CATEGORIES } from './product-categories.ts'
import { productOf } from './record.ts'

export interface NdcRequest extends CodeRequest {
  /** Whether the registry has its own part of the product. If undefined, both cases match. */
  readonly hasSeerInfo?: boolean | undefined
  /** Defaults to false unless `removedSince` is set. */
  readonly includeRemoved?: boolean | undefined
  readonly removedSince?: string | undefined
}

/**
 * Drug products (registry-service.md 4.3, registry.md 2.3, 3, 7.7): the published content and the registry's
 * own part. Every edit is durable, together with its history entry, before the call returns.
 *
 * All methods throw EngineError: `not_found`, `bad_input` naming the member or parameter, `forbidden` if the
 * caller lacks a role, and `precondition_failed`.
 */
export class Ndc {
  readonly #repository: CodeRepository
  readonly #sources: EditSources<NdcProduct>
  readonly #search: CodeSearch<NdcProduct>

  constructor({ state, clock }: CodesOptions) {
    this.#repository = new CodeRepository(state, 'ndc')
    this.#sources = { repository: this.#repository, clock, describe: productOf }
    this.#search = new CodeSearch({
      repository: this.#repository,
      indexed: indexedProduct,
      describe: productOf,
    })
  }

  /** Returns the product for a product code or for the code of one of its packages. */
  async product(_caller: Caller, code: string): Promise<AtRevision<NdcProduct>> {
    const stored = await findProduct(this.#repository, code)
    return { record: productOf(stored), revision: stored.revision }
  }

  /** Stores the registry's part of a product. If the body has no such part, the stored one is removed. */
  async update(
    caller: Caller,
    code: string,
    body: unknown,
    held?: HeldRevisions,
  ): Promise<AtRevision<NdcProduct>> {
    requireRole(caller, 'NDC_EDITOR')
    const given = parseRegistryPart(body)
    return this.#repository.transaction(async (edits) => {
      const before = await findHyphenated(edits, code)
      requireHeld(held, before.revision)
      return storeEdit({ ...this.#sources, edits }, caller, before, (date) => ({
        ...before,
        dateModified: date,
        own: given ? JSON.stringify({ ...given, date_modified: date }) : null,
      }))
    })
  }

  /** Finds products. Results are ordered by code, or by score if the request has words. */
  search(_caller: Caller, request: NdcRequest = {}): Promise<CodePage<NdcProduct>> {
    const { hasSeerInfo, removedSince, includeRemoved = removedSince !== undefined } = request
    const query = queryOf(request, NDC_ORDERS)
    const removed: OrderRange[] = rangeSince('date_removed', removedSince, 'removed_since')
    return this.#search.page({
      ...query,
      filters: {
        ...query.filters,
        has_seer_info: hasSeerInfo === undefined ? undefined : [String(hasSeerInfo)],
        is_removed: includeRemoved ? undefined : ['false'],
      },
      ranges: [...(query.ranges ?? []), ...removed],
    })
  }

  /** Returns a page of the history of a product. */
  async history(
    _caller: Caller,
    code: string,
    request: HistoryPageRequest = {},
  ): Promise<CodeHistoryEntry<NdcProduct>[]> {
    const { code: known } = await findProduct(this.#repository, code)
    return codeHistory(this.#repository, known, request, productOf)
  }

  /** Counts the history entries of a product. */
  async countHistory(code: string): Promise<number> {
    const { code: known } = await findProduct(this.#repository, code)
    return this.#repository.countEvents(known)
  }

  /** Imports categories, classes and drugs; see importCategories. */
  importCategories(path: string, run: CodeImport): Promise<ImportedCodes> {
    return importCategories(this.#sources, path, PRODUCT_CATEGORIES, run)
  }

  /** Imports published tables; see importNdc. */
  import(tables: NdcTables, run: CodeImport): Promise<ImportedCodes> {
    return importNdc(this.#sources, tables, run)
  }
}

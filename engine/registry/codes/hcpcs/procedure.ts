import type { Category } from '../categories.ts'
import { orderOf } from '../members.ts'
import type { StoredCode } from '../repository.ts'

/** The stored content of a procedure. */
export interface ProcedureContent {
  readonly generic_name?: string
  readonly description?: string
  readonly brand_names?: readonly string[]
  readonly strength?: string
  /** Years have the form YYYY. */
  readonly fda_approval_year?: string
  readonly fda_discontinuation_year?: string
  /** Days have the form YYYY-MM-DD. */
  readonly cms_approval_date?: string
  readonly cms_discontinuation_date?: string
  readonly categories?: readonly Category[]
  readonly major_drug_class?: string
  readonly minor_drug_class?: string
  readonly oral?: boolean
}

/** A procedure (registry.md 3). */
export interface HcpcsProcedure extends ProcedureContent {
  readonly hcpcs_code: string
  readonly date_added: string
  readonly date_modified: string
  /** Time of the import whose table no longer listed the procedure. */
  readonly date_removed?: string
  /** Present only in the results of a search with words. */
  readonly score?: number
}

/** Members whose values come from published tables. */
export type ListedContent = Pick<
  ProcedureContent,
  'description' | 'cms_approval_date' | 'cms_discontinuation_date'
>

/** Puts members into a fixed order, so that equal contents have equal JSON. */
export const orderedProcedure = orderOf<ProcedureContent>([
  'generic_name',
  'description',
  'brand_names',
  'strength',
  'fda_approval_year',
  'fda_discontinuation_year',
  'cms_approval_date',
  'cms_discontinuation_date',
  'categories',
  'major_drug_class',
  'minor_drug_class',
  'oral',
])

/** Returns the members that the registry itself has set on a procedure. */
export function contentOf({ own }: Pick<StoredCode, 'own'>): ProcedureContent {
  return own === null ? {} : (JSON.parse(own) as ProcedureContent)
}

/** Converts a stored record to the procedure that is returned to clients. */
export function procedureOf(stored: Omit<StoredCode, 'revision'>, score?: number): HcpcsProcedure {
  return {
    hcpcs_code: stored.code,
    ...contentOf(stored),
    date_added: stored.dateAdded,
    date_modified: stored.dateModified,
    ...(stored.dateRemoved !== null && { date_removed: stored.dateRemoved }),
    ...(score !== undefined && { score }),
  }
}

import { hasBit } from '../../../shared/arrays/bitset.ts'
import { EngineError } from '../../../shared/errors.ts'
import { quotedName } from '../../../shared/input/near-name.ts'
import type { FieldPath } from '../../datasets/field-path.ts'
import { keysOfField } from '../../query/keys.ts'
import type { Selection } from '../../query/selection.ts'
import { columnKey, linkKey } from '../../release/layout.ts'
import type { ArrayKey, ReleaseArrays } from '../../release/loaded.ts'
import { isChangedBy, testedFor } from '../mutation-counts/changed-cases.ts'
import { PAIR_LINK_KEYS, pairLinks, pairsOfGene } from '../mutation-counts/gene-pairs.ts'
import { PAIR_CHANGE_KEYS, pairChangesOf } from '../mutation-counts/pair-changes.ts'
import { TESTED_KEYS } from '../mutation-counts/tested-cases.ts'
import { caseCodes } from './case-codes.ts'
import { namedFields } from './clinical-fields.ts'

/** A property of cases: a field, whether a gene is changed, the number of simple mutations, or an expression. */
export type CaseVariable =
  | StoredVariable
  /** Mean of log2(uqfpkm + 1) over some genes. */
  | { readonly kind: 'expression'; readonly name: string; readonly geneIds: readonly string[] }

/** A variable that is read from the arrays of the release. */
type StoredVariable =
  | { readonly kind: 'field'; readonly name: string; readonly field: FieldPath }
  | {
      readonly kind: 'gene'
      readonly name: string
      readonly change: 'ssm' | 'cnv'
      readonly geneId: string
    }
  | { readonly kind: 'burden'; readonly name: string }

/** A variable whose values a job can read. Those of an expression are known before, because they may be controlled. */
export type ReadableVariable =
  | StoredVariable
  | {
      readonly kind: 'numbers'
      readonly name: string
      /** Number by row of the case in the release, NaN without one. */
      readonly numbers: Float64Array
    }

const GENE = /^(ssm|cnv|expression):(.+)$/
/** Maximum number of genes whose mean expression is one variable. */
const MAX_GENES = 500

/**
 * Reads the name of a variable: a field of cases, `ssm:` or `cnv:` and the id of a gene, `expression:` and the ids of
 * genes, or `burden`.
 * @throws EngineError bad_input if the name is none of these; too_many genes
 */
export function readVariable(name: string, at: string): CaseVariable {
  if (name === 'burden') return { kind: 'burden', name }
  const [, change, geneId] = GENE.exec(name) ?? []
  if (geneId !== undefined && change === 'expression') {
    return { kind: 'expression', name, geneIds: genesIn(geneId, at) }
  }
  if (geneId !== undefined && (change === 'ssm' || change === 'cnv')) {
    return { kind: 'gene', name, change, geneId }
  }
  const [field] = namedFields([name], at)
  if (field) return { kind: 'field', name, field }
  throw new EngineError('bad_input', `parameter ${at} is missing; name a field`, { at })
}

function genesIn(list: string, at: string): readonly string[] {
  const ids = [...new Set(list.split(','))]
  if (ids.length <= MAX_GENES) return ids
  const message = `expression of ${ids.length} genes is requested; name at most ${MAX_GENES}`
  throw new EngineError('too_many', message, { at })
}

/** Returns the keys of all arrays that reading a variable needs. */
export function keysOfVariable(variable: CaseVariable): readonly ArrayKey[] {
  if (variable.kind === 'expression') return []
  if (variable.kind === 'field') return keysOfField(variable.field)
  if (variable.kind === 'burden') return [...TESTED_KEYS, linkKey('ssm_occurrences', 'case')]
  return [...PAIR_CHANGE_KEYS, ...TESTED_KEYS, ...PAIR_LINK_KEYS, columnKey('genes', 'gene_id')]
}

/** Values of a variable in the order of the given rows. */
export type VariableValues =
  /** NaN for cases without exactly one number. */
  | { readonly kind: 'numbers'; readonly numbers: Float64Array }
  | {
      readonly kind: 'categories'
      /** Place of the value in `names` plus one. 0 for cases without exactly one value. */
      readonly codes: Uint32Array
      readonly names: readonly string[]
    }

/**
 * Reads a variable of the selected cases, whose rows are given too.
 * @throws EngineError not_found if the release has no such gene
 */
export function valuesOf(
  variable: ReadableVariable,
  rows: Uint32Array,
  selected: Selection,
  arrays: ReleaseArrays,
): VariableValues {
  if (variable.kind === 'numbers') {
    const { numbers } = variable
    return {
      kind: 'numbers',
      numbers: Float64Array.from(rows, (row) => numbers[row] ?? Number.NaN),
    }
  }
  if (variable.kind === 'field') return fieldValues(variable.field, rows, arrays)
  if (variable.kind === 'burden') return burdenValues(rows, selected, arrays)
  const { change, geneId } = variable
  const tested = testedFor(change, selected, arrays)
  const row = (arrays.column('genes', 'gene_id')?.dictionary.find(geneId) ?? 0) - 1
  if (row < 0) {
    const message = `the release has no gene with the id ${quotedName(geneId)}; give the gene_id of one, such as those of /genes`
    throw new EngineError('not_found', message)
  }
  const links = pairLinks(arrays)
  const isChanged = isChangedBy(change, pairChangesOf(arrays))
  const pairs = links ? pairsOfGene(row, tested, links) : []
  const changed = new Set(pairs.filter(({ pair }) => isChanged(pair)).map((pair) => pair.row))
  const codes = Uint32Array.from(rows, (one) => {
    if (!tested || !hasBit(tested, one)) return 0
    return changed.has(one) ? 1 : 2
  })
  return { kind: 'categories', codes, names: ['changed', 'unchanged'] }
}

function fieldValues(field: FieldPath, rows: Uint32Array, arrays: ReleaseArrays): VariableValues {
  const found = caseCodes(field, rows, arrays)
  if (!found) return { kind: 'categories', codes: new Uint32Array(rows.length), names: [] }
  const { codes, kind, text, number } = found
  if (kind === 'number') {
    const numbers = Float64Array.from(codes, (code) => (code > 0 ? number(code) : Number.NaN))
    return { kind: 'numbers', numbers }
  }
  const order = [...new Set(codes.filter((code) => code > 0))].sort((a, b) => a - b)
  const places = new Map(order.map((code, place) => [code, place + 1]))
  return {
    kind: 'categories',
    codes: Uint32Array.from(codes, (code) => places.get(code) ?? 0),
    names: order.map(text),
  }
}

function burdenValues(
  rows: Uint32Array,
  selected: Selection,
  arrays: ReleaseArrays,
): VariableValues {
  const tested = testedFor('ssm', selected, arrays)
  const offsets = arrays.link('ssm_occurrences', 'case')?.reverseOffsets
  const numbers = Float64Array.from(rows, (row) => {
    if (!tested || !hasBit(tested, row)) return Number.NaN
    return offsets ? offsets[row + 1]! - offsets[row]! : 0
  })
  return { kind: 'numbers', numbers }
}

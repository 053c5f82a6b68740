import {
  isObject,
  type Json,
  type JsonObject,
  objectsIn,
  textIn,
} from '../../shared/input/json-value.ts'
import { type GeneFacts, geneIn } from './gene-facts.ts'
import { placeId } from './record-id.ts'

/**
 * Normalises a mutation that was merged from mutation tables, so that it does not depend on the order of the
 * tables. Adds gene data from the gene model. Mutations from other sources stay unchanged.
 */
export function finishMutation(document: JsonObject, genes: GeneFacts): void {
  if (!isOfTables(document)) return
  const consequences = objectsIn(document.consequence)
  nameGenes(consequences, textIn(document.chromosome) ?? '', genes)
  document.consequence = sortedBy(consequences, (each) =>
    isObject(each.transcript) ? textIn(each.transcript.transcript_id) : undefined,
  )
  document.gene_aa_change = changesOf(consequences)
  if (Array.isArray(document.catalog_id)) document.catalog_id = [...document.catalog_id].sort()
}

/**
 * Returns the members that `finishMutation` adds if there is no gene model. Returns undefined if it may change
 * other members, since one of several consequences may name the gene of another.
 */
export function addedToMutation(document: JsonObject): JsonObject | undefined {
  return isOfTables(document) ? addedToPlaced(document) : {}
}

/** Does the same as `addedToMutation` for a mutation whose id was generated. */
export function addedToPlaced(document: JsonObject): JsonObject | undefined {
  if (objectsIn(document.consequence).length === 0) return {}
  const { consequence, catalog_id: catalog } = document
  if (!isListOfOne(consequence) || Object.hasOwn(document, 'gene_aa_change')) return undefined
  if (Array.isArray(catalog) && !isSorted(catalog)) return undefined
  const gene = geneIn(consequence[0])
  const isNamed = !gene || !Object.hasOwn(gene, 'gene_id') || textIn(gene.gene_id) !== undefined
  return isNamed ? { gene_aa_change: changesOf(consequence) } : undefined
}

/** Returns whether a mutation was merged from mutation tables, which is the case if its id was generated. */
function isOfTables(document: JsonObject): boolean {
  return objectsIn(document.consequence).length > 0 && placeId('ssms', document) === document.ssm_id
}

/** Sorts the observations, whose order has no meaning. */
export function finishOccurrence(document: JsonObject): void {
  if (!isObject(document.case) || !Array.isArray(document.case.observation)) return
  const observations = objectsIn(document.case.observation)
  document.case.observation = sortedBy(observations, (each) => textIn(each.observation_id))
}

/** Returns whether `finishOccurrence` leaves a document unchanged for any observations that it may have. */
export function hasOneObservation(document: JsonObject): boolean {
  return isObject(document.case) && isListOfOne(document.case.observation)
}

const isListOfOne = (list: Json | undefined): list is readonly [JsonObject] =>
  Array.isArray(list) && list.length === 1 && isObject(list[0])

const isSorted = (list: readonly Json[]) =>
  list.every((each, i) => i === 0 || String(list[i - 1]) <= String(each))

/**
 * Fills in gene ids. Lists of all effects contain only symbols, so the id comes from the mutation's annotated
 * gene or from the gene model.
 */
function nameGenes(
  consequences: readonly JsonObject[],
  chromosome: string,
  genes: GeneFacts,
): void {
  const hit = consequences.map(geneIn).filter((gene) => gene !== undefined)
  const named = new Map(
    hit.flatMap(({ symbol, gene_id: id }) =>
      textIn(symbol) !== undefined && textIn(id) !== undefined ? [[symbol, id]] : [],
    ),
  )
  for (const gene of hit) {
    const symbol = textIn(gene.symbol)
    gene.gene_id ??= named.get(symbol) ?? (symbol && genes.idOf(symbol, chromosome))
    const id = textIn(gene.gene_id)
    if (id === undefined) delete gene.gene_id
    else Object.assign(gene, genes.propertiesOf(id))
  }
}

/** Returns the distinct protein changes, such as `TRIO L229V`, in ascending order. */
function changesOf(consequences: readonly JsonObject[]): readonly string[] {
  const changes = consequences.flatMap((each) => {
    const symbol = textIn(geneIn(each)?.symbol)
    const change = isObject(each.transcript) ? textIn(each.transcript.aa_change) : undefined
    return symbol === undefined || change === undefined ? [] : [`${symbol} ${change}`]
  })
  return [...new Set(changes)].sort()
}

function sortedBy(
  elements: readonly JsonObject[],
  key: (element: JsonObject) => string | undefined,
): readonly JsonObject[] {
  if (elements.length < 2) return elements
  const keyed = elements.map((element) => ({ element, key: key(element) ?? '' }))
  return keyed
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ element }) => element)
}

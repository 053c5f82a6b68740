import { type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { geneChangeId } from './copy-number-change.ts'
import type { GeneFacts } from './gene-facts.ts'

/**
 * Completes a gene-level copy number change from a table with data of the gene model: the gene that has the
 * symbol, its coordinates and its properties. Changes from other sources stay unchanged.
 */
export function finishGeneChange(document: JsonObject, genes: GeneFacts): void {
  const [consequence] = objectsIn(document.consequence)
  const [gene] = objectsIn(consequence?.gene)
  if (!gene) return
  const symbol = textIn(gene.symbol)
  const geneId = textIn(gene.gene_id)
  const build = textIn(document.agency_build)
  const isOfTable = (reported: { readonly geneId?: string; readonly isPlaced?: true }) =>
    document.cnv_id ===
    geneChangeId({
      build,
      geneId: reported.geneId,
      symbol,
      place: reported.isPlaced ? placeIn(document) : undefined,
      category: textIn(document.cnv_change_5_category) ?? '',
    })
  if (isOfTable({})) {
    fillPlaced(document, gene, symbol && genes.idOf(symbol), genes)
  } else if (geneId !== undefined && isOfTable({ geneId })) {
    fillPlaced(document, gene, geneId, genes)
  } else if (geneId !== undefined && isOfTable({ geneId, isPlaced: true })) {
    Object.assign(gene, genes.propertiesOf(geneId))
  }
}

/**
 * Sets the gene id and the coordinates. The gene model is on GRCh38, so a change on GRCh37 gets no
 * coordinates (ADR 29).
 */
function fillPlaced(
  document: JsonObject,
  gene: JsonObject,
  geneId: string | undefined,
  genes: GeneFacts,
): void {
  const isOfModel = document.agency_build !== 'GRCh37'
  const place = isOfModel && geneId !== undefined ? genes.placeOf(geneId) : undefined
  for (const name of ['chromosome', 'start_position', 'end_position']) delete document[name]
  if (place) {
    Object.assign(document, {
      chromosome: place.chromosome,
      start_position: place.start,
      end_position: place.end,
    })
  }
  if (geneId === undefined) {
    delete gene.gene_id
    return
  }
  gene.gene_id = geneId
  gene.symbol ??= genes.symbolOf(geneId)
  Object.assign(gene, genes.propertiesOf(geneId))
}

function placeIn({ chromosome, start_position: start, end_position: end }: JsonObject) {
  return { chromosome: textIn(chromosome) ?? '', start: Number(start), end: Number(end) }
}

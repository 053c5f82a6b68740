/** A page of the explorer in a state that shows all it has. */
export interface ExplorerPage {
  readonly name: string
  readonly fragment: string
}

const LUNG = `cohort=${encodeURIComponent(
  `Lung:${JSON.stringify({
    op: 'in',
    content: { field: 'primary_site', value: ['bronchus and lung'] },
  })}`,
)}`

/** Those that need neither token nor key, and can be shown of any release. */
export const PAGES: readonly ExplorerPage[] = [
  { name: 'cohort', fragment: `#/cohort?${LUNG}` },
  { name: 'compare', fragment: `#/compare?${LUNG}&cohort=All` },
  { name: 'survival', fragment: `#/survival?${LUNG}&by=demographic.gender` },
  { name: 'genes', fragment: `#/genes?${LUNG}` },
  { name: 'gene', fragment: `#/genes?${LUNG}&gene=TP53` },
  { name: 'files', fragment: `#/files?${LUNG}` },
]

/** Those that show what a made release has no bytes of. */
export const DEMO_PAGES: readonly ExplorerPage[] = [
  { name: 'expression', fragment: `#/expression?${LUNG}&size=50` },
  { name: 'two groups', fragment: `#/differential?${LUNG}` },
  { name: 'co-expression', fragment: `#/coexpression?${LUNG}&gene=TP53` },
  { name: 'reads', fragment: '#/reads?place=TP53' },
  { name: 'cells', fragment: '#/cells?genes=TP53,EGFR,VHL&by=Group' },
]

/** A page of the explorer in a state that shows what it has. */
export interface View {
  /** Name of the picture. */
  readonly name: string
  readonly title: string
  /** Behind `#/` of the address. */
  readonly fragment: string
}

const cohort = (name: string, field: string, value: string) => {
  const filter = JSON.stringify({ op: 'in', content: { field, value: [value] } })
  return `cohort=${encodeURIComponent(`${name}:${filter}`)}`
}
const LUNG = cohort('Lung', 'primary_site', 'bronchus and lung')
const BRAIN = cohort('Brain', 'primary_site', 'brain')
const WOMEN = cohort('Women', 'demographic.gender', 'female')
const MUTATION = '00066413-6a53-4ba4-b10d-58901d5cf86a'
const STAGED = 'algorithm=demo&version=1.0&in.site=C182&in.hist=8140&in.year_dx=2023&in.depth=B2'
const TUMOURS = `tumours=${encodeURIComponent('C504,8500,3,1,2019,,;C501,8520,3,2,2021,,')}`

/** All pages, in the order of the menu. */
export const VIEWS: readonly View[] = [
  { name: 'home', title: 'Home', fragment: '' },
  { name: 'cohort', title: 'Cohort builder', fragment: `cohort?${LUNG}` },
  { name: 'compare', title: 'Compare cohorts', fragment: `compare?${LUNG}&${BRAIN}` },
  { name: 'survival', title: 'Survival', fragment: `survival?${LUNG}&${BRAIN}` },
  { name: 'genes', title: 'Genes', fragment: `genes?${LUNG}` },
  { name: 'gene', title: 'One gene', fragment: 'genes?gene=TP53' },
  { name: 'pairs', title: 'Gene pairs', fragment: 'pairs' },
  { name: 'burden', title: 'Mutation burden', fragment: `burden?${LUNG}&${BRAIN}` },
  { name: 'variables', title: 'Two variables', fragment: 'variables?x=primary_site&y=ssm:TP53' },
  { name: 'signatures', title: 'Signatures', fragment: `signatures?${LUNG}&${BRAIN}` },
  { name: 'segments', title: 'Copy-number segments', fragment: `segments?${LUNG}&${BRAIN}` },
  { name: 'expression', title: 'Expression', fragment: `expression?${LUNG}&size=50` },
  { name: 'two-groups', title: 'Two groups', fragment: `differential?${WOMEN}` },
  { name: 'co-expression', title: 'Co-expression', fragment: `coexpression?${LUNG}&gene=TP53` },
  { name: 'reads', title: 'Reads', fragment: 'reads?place=chr17:7670000-7674000' },
  { name: 'cells', title: 'Single cells', fragment: 'cells?genes=TP53,EGFR,VHL&by=Group' },
  { name: 'files', title: 'Files', fragment: `files?${LUNG}` },
  { name: 'tables', title: 'Tables', fragment: `tables?of=ssms&${LUNG}` },
  { name: 'case', title: 'One case', fragment: 'case?id=DEMO-ADRENAL-0001' },
  { name: 'file', title: 'One file', fragment: 'file?id=0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b1d02' },
  { name: 'variant', title: 'One variant', fragment: `variant?id=${MUTATION}` },
  {
    name: 'staging',
    title: 'Staging',
    fragment: `staging?${STAGED}&in.size=035&in.nodes_pos=02`,
  },
  { name: 'primaries', title: 'Multiple primaries', fragment: `primaries?${TUMOURS}&pair=0,1` },
  { name: 'reference', title: 'Reference', fragment: 'reference?q=carcinoma' },
  { name: 'submission', title: 'Submission', fragment: 'submission?project=DEMO-TRIAL' },
  { name: 'operation', title: 'Operation', fragment: 'operator' },
]

/** Entry of a page in the menu. */
export interface PageEntry {
  /** Path in the URL. */
  readonly path: PagePath
  readonly title: string
  readonly group: string
  /** Whether the page uses a cohort. */
  readonly hasCohort: boolean
  /** Description of the page's purpose. */
  readonly purpose: string
}

export type PagePath =
  | ''
  | 'cohort'
  | 'compare'
  | 'survival'
  | 'genes'
  | 'expression'
  | 'differential'
  | 'coexpression'
  | 'reads'
  | 'cells'
  | 'files'
  | 'staging'
  | 'primaries'
  | 'reference'
  | 'submission'
  | 'operator'

/** All pages in menu order. `page-view.tsx` has their modules. */
export const PAGES: readonly PageEntry[] = [
  {
    path: '',
    title: 'Home',
    group: 'Start',
    hasCohort: false,
    purpose: 'What is here.',
  },
  {
    path: 'cohort',
    title: 'Cohort builder',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'Choose cases by what is known of them, and see them one by one.',
  },
  {
    path: 'compare',
    title: 'Compare cohorts',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See what cohorts share, and in what they differ.',
  },
  {
    path: 'survival',
    title: 'Survival',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'Compare how long groups of cases live.',
  },
  {
    path: 'genes',
    title: 'Genes',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See which genes are mutated, in which cases, and where.',
  },
  {
    path: 'expression',
    title: 'Expression',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See which genes differ, and one gene by groups of cases.',
  },
  {
    path: 'differential',
    title: 'Two groups',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See which genes are expressed in another way in the cohort than elsewhere.',
  },
  {
    path: 'coexpression',
    title: 'Co-expression',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See which genes go with a gene.',
  },
  {
    path: 'reads',
    title: 'Reads',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See coverage and reads of a file at a gene or a place.',
  },
  {
    path: 'cells',
    title: 'Single cells',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See how genes are expressed in the cells of a file.',
  },
  {
    path: 'files',
    title: 'Files',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'Find files of the cohort, and take them with you.',
  },
  {
    path: 'staging',
    title: 'Staging',
    group: 'Registry',
    hasCohort: false,
    purpose: 'Stage a case, and see which rows of which tables decided.',
  },
  {
    path: 'primaries',
    title: 'Multiple primaries',
    group: 'Registry',
    hasCohort: false,
    purpose: 'Tell how many primaries a patient has, and by which rules.',
  },
  {
    path: 'reference',
    title: 'Reference',
    group: 'Registry',
    hasCohort: false,
    purpose: 'Look up drugs, diseases, terms, products and procedures.',
  },
  {
    path: 'submission',
    title: 'Submission',
    group: 'Service',
    hasCohort: false,
    purpose: 'See where a project stands, and what is wrong with what was sent.',
  },
  {
    path: 'operator',
    title: 'Operation',
    group: 'Service',
    hasCohort: false,
    purpose: 'See whether the service is well.',
  },
]

export const pageAt = (path: string): PageEntry | undefined =>
  PAGES.find((entry) => entry.path === path)

/** Entry of a page in the menu. */
interface PageEntry {
  /** Path in the URL. */
  readonly path: PagePath
  readonly title: string
  /** Question that the page answers, as its heading. Pages that are tools or records have their title. */
  readonly question?: string
  readonly group: string
  /** Whether the page uses a cohort. */
  readonly hasCohort: boolean
  /** Whether the page is not in the menu, because it is of one record. */
  readonly isHidden?: boolean
  /** Description of the page's purpose. */
  readonly purpose: string
  /** Whether the page exists only if people can log in at an institution. */
  readonly needsLogin?: true
}

export type PagePath =
  | ''
  | 'cohort'
  | 'compare'
  | 'survival'
  | 'genes'
  | 'pairs'
  | 'burden'
  | 'variables'
  | 'signatures'
  | 'segments'
  | 'expression'
  | 'differential'
  | 'coexpression'
  | 'reads'
  | 'cells'
  | 'files'
  | 'tables'
  | 'case'
  | 'file'
  | 'variant'
  | 'staging'
  | 'primaries'
  | 'reference'
  | 'submission'
  | 'operator'
  | 'account'

/** All pages in menu order. `page-view.tsx` has their modules. */
const ALL: readonly PageEntry[] = [
  {
    path: '',
    title: 'Home',
    group: 'Start',
    hasCohort: false,
    purpose: 'Overview of the data.',
  },
  {
    path: 'cohort',
    title: 'Cohort builder',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'Select cases by their properties, and view them one by one.',
  },
  {
    path: 'compare',
    title: 'Compare cohorts',
    question: 'How do the cohorts differ?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See the overlap and the differences of cohorts.',
  },
  {
    path: 'survival',
    title: 'Survival',
    question: 'Who survives longer?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'Compare the survival of groups of cases.',
  },
  {
    path: 'genes',
    title: 'Genes',
    question: 'Which genes are mutated?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See which genes are mutated, in which cases and at which positions.',
  },
  {
    path: 'pairs',
    title: 'Gene pairs',
    question: 'Which genes go together?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'Find genes whose changes exclude each other, or occur together.',
  },
  {
    path: 'burden',
    title: 'Mutation burden',
    question: 'How many mutations are there?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See how many mutations the cases have, and of which kinds.',
  },
  {
    path: 'variables',
    title: 'Two variables',
    question: 'How are two variables related?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'Relate any property of the cases to any other.',
  },
  {
    path: 'signatures',
    title: 'Signatures',
    question: 'Of which classes are the mutations?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See which bases are replaced, and which are around them.',
  },
  {
    path: 'segments',
    title: 'Copy-number segments',
    question: 'Where is the genome changed?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See where along the genome copies are gained and lost.',
  },
  {
    path: 'expression',
    title: 'Expression',
    question: 'How are genes expressed?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See the genes that vary most, or one gene by groups of cases.',
  },
  {
    path: 'differential',
    title: 'Two groups',
    question: 'Which genes differ?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'Find genes that are expressed differently in this cohort.',
  },
  {
    path: 'coexpression',
    title: 'Co-expression',
    question: 'Which genes correlate?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'Find genes whose expression correlates with a gene.',
  },
  {
    path: 'reads',
    title: 'Reads',
    question: 'What do the reads show?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See the coverage and reads of a file at a gene or region.',
  },
  {
    path: 'cells',
    title: 'Single cells',
    question: 'What do single cells express?',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See how genes are expressed in the cells of a file.',
  },
  {
    path: 'files',
    title: 'Files',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'Find and download files of the cohort.',
  },
  {
    path: 'tables',
    title: 'Tables',
    group: 'Cohort',
    hasCohort: true,
    purpose: 'See and save all cases, files, genes, variants and annotations of the cohort.',
  },
  {
    path: 'case',
    title: 'Case',
    group: 'Cohort',
    hasCohort: false,
    isHidden: true,
    purpose: 'See what is known of a case.',
  },
  {
    path: 'file',
    title: 'File',
    group: 'Cohort',
    hasCohort: false,
    isHidden: true,
    purpose: 'See what is known of a file.',
  },
  {
    path: 'variant',
    title: 'Variant',
    group: 'Cohort',
    hasCohort: true,
    isHidden: true,
    purpose: 'See what is known of a variant.',
  },
  {
    path: 'staging',
    title: 'Staging',
    question: 'Which stage is it?',
    group: 'Registry',
    hasCohort: false,
    purpose: 'Stage a case, and see the table rows that decided.',
  },
  {
    path: 'primaries',
    title: 'Multiple primaries',
    question: 'How many primaries are there?',
    group: 'Registry',
    hasCohort: false,
    purpose: 'Find out how many primaries a patient has, and by which rules.',
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
    purpose: 'See the state of a project, and the errors in submissions.',
  },
  {
    path: 'operator',
    title: 'Operation',
    group: 'Service',
    hasCohort: false,
    purpose: 'See the health of the service.',
  },
  {
    path: 'account',
    title: 'Account',
    group: 'Service',
    hasCohort: false,
    purpose: 'Log in at your institution, and make tokens for your programs.',
    needsLogin: true,
  },
]

/** Returns the pages of the menu of a service at which people can log in, or cannot. */
export const menuOf = (hasLogin: boolean): readonly PageEntry[] =>
  ALL.filter(({ isHidden, needsLogin }) => !isHidden && (hasLogin || !needsLogin))

export const pageAt = (path: string): PageEntry | undefined =>
  ALL.find((entry) => entry.path === path)

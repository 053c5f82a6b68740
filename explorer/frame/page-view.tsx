import type { ComponentType } from 'preact'
import { useEffect, useErrorBoundary, useState } from 'preact/hooks'
import { onPage } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { HomePage } from '../pages/home.tsx'
import { Link } from '../parts/link.tsx'
import { ErrorNote, LoadingNote } from '../parts/notes.tsx'
import { useService } from '../service/context.ts'
import { useReach } from '../service/use-reach.ts'
import { hasLogin } from './has-login.ts'
import { type PagePath, pageAt } from './page-list.ts'
import { ServiceNotice } from './service-notice.tsx'

/** Loaders of the pages. Each is loaded when it is first shown, but for the home page, which comes with the frame. */
const LOADERS: Readonly<Record<PagePath, () => Promise<ComponentType>>> = {
  '': async () => HomePage,
  cohort: async () => (await import('../pages/cohort/cohort.tsx')).CohortPage,
  compare: async () => (await import('../pages/compare/compare.tsx')).ComparePage,
  survival: async () => (await import('../pages/survival/survival.tsx')).SurvivalPage,
  genes: async () => (await import('../pages/genes/genes.tsx')).GenesPage,
  pairs: async () => (await import('../pages/pairs/pairs.tsx')).PairsPage,
  burden: async () => (await import('../pages/burden/burden.tsx')).BurdenPage,
  variables: async () => (await import('../pages/variables/variables.tsx')).VariablesPage,
  signatures: async () => (await import('../pages/signatures/signatures.tsx')).SignaturesPage,
  segments: async () => (await import('../pages/segments/segments.tsx')).SegmentsPage,
  expression: async () => (await import('../pages/expression/expression.tsx')).ExpressionPage,
  differential: async () =>
    (await import('../pages/differential/differential.tsx')).DifferentialPage,
  coexpression: async () =>
    (await import('../pages/coexpression/coexpression.tsx')).CoexpressionPage,
  reads: async () => (await import('../pages/reads/reads.tsx')).ReadsPage,
  cells: async () => (await import('../pages/cells/cells.tsx')).CellsPage,
  files: async () => (await import('../pages/files/files.tsx')).FilesPage,
  tables: async () => (await import('../pages/tables/tables.tsx')).TablesPage,
  case: async () => (await import('../pages/case/case.tsx')).CasePage,
  file: async () => (await import('../pages/file/file.tsx')).FilePage,
  variant: async () => (await import('../pages/variant/variant.tsx')).VariantPage,
  staging: async () => (await import('../pages/staging/staging.tsx')).StagingPage,
  primaries: async () => (await import('../pages/primaries/primaries.tsx')).PrimariesPage,
  submission: async () => (await import('../pages/submission/submission.tsx')).SubmissionPage,
  operator: async () => (await import('../pages/operator/operator.tsx')).OperatorPage,
  account: async () => (await import('../pages/account/account.tsx')).AccountPage,
  reference: async () => (await import('../pages/reference/reference.tsx')).ReferencePage,
}

/** Shows the page that the URL names. */
export function PageView() {
  const { address } = usePlace()
  const found = pageAt(address.page)
  const entry = found?.needsLogin && !hasLogin() ? undefined : found
  const title = entry?.title ?? 'No such page'
  useEffect(() => {
    document.title = entry?.path === '' ? 'casemill' : `${title} – casemill`
  }, [entry, title])
  return (
    <main id="main" tabIndex={-1}>
      <ServiceNotice />
      <h1>{entry?.question ?? title}</h1>
      {entry ? (
        <Loaded key={entry.path} load={LOADERS[entry.path]} />
      ) : (
        <p>
          There is no page at this address. Go to the{' '}
          <Link to={onPage(address, '')}>home page</Link>.
        </p>
      )}
    </main>
  )
}

function Loaded({ load }: { readonly load: () => Promise<ComponentType> }) {
  const service = useService()
  const { isGone, round } = useReach()
  const [Page, setPage] = useState<ComponentType>()
  const [error, setError] = useState<unknown>()
  const [thrown] = useErrorBoundary()
  useEffect(() => {
    if (Page) return
    load().then(
      (page) => {
        setPage(() => page)
        setError(undefined)
      },
      (cause: unknown) => {
        setError(cause)
        // The service may be gone, or have other scripts than at the start of this page.
        service.fetch({ path: '/status' }).catch(() => undefined)
      },
    )
  }, [load, service, round])
  if (thrown !== undefined) return <ErrorNote text={`This page failed: ${String(thrown)}`} />
  if (error !== undefined && !isGone) {
    return (
      <div class="note error" role="alert">
        This page could not be loaded.{' '}
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    )
  }
  return Page ? <Page /> : isGone ? null : <LoadingNote />
}

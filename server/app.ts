import type { Shared } from '../engine/shared/index.ts'
import { type AlignmentsEngine, alignmentEndpoints } from './commons/alignments.ts'
import { type AnalysisEngine, analysisEndpoints } from './commons/analysis.ts'
import { type CaseTablesEngine, caseTablesEndpoints } from './commons/case-tables.ts'
import { type CohortsEngine, cohortsEndpoints } from './commons/cohorts.ts'
import { type ComparisonEngine, comparisonEndpoints } from './commons/comparison.ts'
import { type DownloadEngine, downloadEndpoints } from './commons/download.ts'
import { commonsFailures } from './commons/errors.ts'
import { type ExpressionEngine, expressionEndpoints } from './commons/expression.ts'
import { type SearchGraphEngine, searchGraphEndpoints } from './commons/graphql.ts'
import {
  type MutationStatisticsEngine,
  mutationStatisticsEndpoints,
} from './commons/mutation-statistics.ts'
import { type MutationTablesEngine, mutationTablesEndpoints } from './commons/mutation-tables.ts'
import { type NotificationEngine, notificationEndpoints } from './commons/notifications.ts'
import { withPinnedSets } from './commons/pinned-sets.ts'
import { type QuickSearchEngine, quickSearchEndpoints } from './commons/quick-search.ts'
import { type SearchEngine, searchEndpoints } from './commons/search.ts'
import { sharedParameters } from './commons/search-parameters.ts'
import { commonsSecurity } from './commons/security.ts'
import { type StoredSetsEngine, setsEndpoints } from './commons/sets.ts'
import { type SingleCellEngine, singleCellEndpoints } from './commons/single-cell.ts'
import { type SlicingEngine, slicingEndpoints } from './commons/slicing.ts'
import { type SurvivalEngine, survivalEndpoints } from './commons/survival.ts'
import { type StatusFacts, type SystemEngine, systemEndpoints } from './commons/system.ts'
import { tileEndpoints } from './commons/tiles.ts'
import { type VersionsEngine, versionsEndpoints } from './commons/versions.ts'
import { type Config, loginOf } from './config.ts'
import { DRS_BASE, DRS_SERVICE, type DrsEngine, drsEndpoints } from './ga4gh/drs.ts'
import { drsFailures } from './ga4gh/drs-errors.ts'
import { HTSGET_SERVICES, type HtsgetEngine, htsgetEndpoints } from './ga4gh/htsget.ts'
import { htsgetFailures } from './ga4gh/htsget-errors.ts'
import { servicesEndpoints } from './ga4gh/services.ts'
import { type ApiModule, type App, composeModules } from './http/compose.ts'
import { describeApi } from './http/describe.ts'
import { Inflow } from './http/inflow.ts'
import type { Log } from './http/log.ts'
import type { Metrics } from './http/metrics.ts'
import type { RecordingEngine } from './http/recorder.ts'
import { accountEndpoints } from './login/account.ts'
import { deviceEndpoints } from './login/device.ts'
import { loginEndpoints } from './login/login.ts'
import type { Login, People } from './login/people.ts'
import { LoginProvider } from './login/provider.ts'
import { type SessionsEngine, sessionEndpoints } from './login/sessions.ts'
import { registryFailures } from './registry/errors.ts'
import { type HcpcsEngine, hcpcsEndpoints } from './registry/hcpcs.ts'
import { type MphEngine, mphEndpoints } from './registry/mph.ts'
import { type NaaccrEngine, naaccrEndpoints } from './registry/naaccr.ts'
import {
  type NaaccrConversionsEngine,
  naaccrConversionEndpoints,
} from './registry/naaccr-conversions.ts'
import { type NaaccrEditsEngine, naaccrEditEndpoints } from './registry/naaccr-edits.ts'
import { type NaaccrFilesEngine, naaccrFileEndpoints } from './registry/naaccr-files.ts'
import { type NdcEngine, ndcEndpoints } from './registry/ndc.ts'
import { type PublishingEngine, publishingEndpoints } from './registry/publishing.ts'
import { type RecodeEngine, recodeEndpoints } from './registry/recode.ts'
import { registrySecurity } from './registry/security.ts'
import { stagingEndpoints } from './registry/staging.ts'
import type { StagingEngine } from './registry/staging-engine.ts'
import { type SurgeryEngine, surgeryEndpoints } from './registry/surgery.ts'
import { type DictionaryEngine, dictionaryEndpoints } from './submission/dictionary.ts'
import { type ExportEngine, exportEndpoints } from './submission/export.ts'
import { type SubmissionFilesEngine, submissionFileEndpoints } from './submission/files.ts'
import { type GraphqlEngine, graphqlEndpoints } from './submission/graphql.ts'
import { type SubmissionEngine, submissionEndpoints } from './submission/submission.ts'
import { auditEndpoints } from './web/audit.ts'
import { docsEndpoints } from './web/docs.ts'
import { EXAMPLES } from './web/examples.ts'
import { type Explorer, explorerEndpoints } from './web/explorer.ts'
import { type HomeEngine, homeEndpoints } from './web/home.ts'
import { notFoundPage } from './web/page.ts'
import { TAGS } from './web/tags.ts'
import { termsEndpoints } from './web/terms.ts'

type ServedCommons = DownloadEngine &
  SlicingEngine &
  AlignmentsEngine &
  SingleCellEngine &
  AnalysisEngine &
  ComparisonEngine &
  CaseTablesEngine &
  MutationStatisticsEngine &
  MutationTablesEngine &
  ExpressionEngine &
  SearchEngine &
  StoredSetsEngine &
  CohortsEngine &
  SearchGraphEngine &
  QuickSearchEngine &
  NotificationEngine &
  SurvivalEngine &
  VersionsEngine &
  DrsEngine &
  HtsgetEngine &
  HomeEngine &
  SystemEngine['commons']

/** Where people who log in at an institution are kept. */
interface PeopleEngine {
  readonly people?: People | undefined
}

type ServedSubmissions = DictionaryEngine &
  PeopleEngine &
  SessionsEngine &
  SubmissionEngine &
  GraphqlEngine &
  SubmissionFilesEngine &
  ExportEngine

type ServedRegistry = StagingEngine &
  MphEngine &
  RecodeEngine &
  PublishingEngine &
  NdcEngine &
  HcpcsEngine &
  SurgeryEngine &
  NaaccrEngine &
  NaaccrFilesEngine &
  NaaccrConversionsEngine &
  NaaccrEditsEngine

/** The parts of the engine that the server's modules use. Tests can replace it. */
export interface ServedEngine extends Pick<SystemEngine, 'dependencies'> {
  /** Absent in an engine that keeps no record. Requests share turns of the event loop with the engine. */
  readonly shared?: RecordingEngine & Pick<Shared, 'turns'>
  readonly commons: ServedCommons
  readonly submission: ServedSubmissions
  readonly registry: ServedRegistry
}

export interface AppOptions {
  readonly engine: ServedEngine
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  readonly status: StatusFacts
  /** Bodies of requests in progress. Shared with the limit on connections. */
  readonly inflow?: Inflow
  /** Returns whether the server accepts new work. False while it stops. */
  readonly ready?: () => boolean
  /** Whether enough processes of the service are running. */
  readonly isComplete?: () => boolean
  /** Returns the web pages. Resolves once they are built, to undefined if they cannot be built. */
  readonly explorer?: (() => Promise<Explorer | undefined>) | undefined
}

/** Parameters that must not be ignored, since the response would contain other cases (data-commons.md 11.35). */
const NEVER_IGNORED = Object.freeze({
  case_filters: 'it restricts searches and analyses of cases; leave it out, or find the ids first',
})

/** Builds the whole service as one application. To add an interface, add its module to the list. */
export function createApp(options: AppOptions): App {
  const { engine, config, log, metrics, status, ready = () => true, isComplete } = options
  const { explorer = async () => undefined } = options
  const { commons, submission, registry } = engine
  const login = loginFor(config, submission.people)
  const peopleEndpoints = (login: Login) => [
    ...loginEndpoints(login),
    ...accountEndpoints(submission, login),
    ...deviceEndpoints(login),
  ]
  const build = `${status.tag} ${status.commit}`
  const { inflow = new Inflow({ maxBytes: config.heldBodyBytes }) } = options
  const document = () => describeApi(app, { version: status.tag, tags: TAGS, examples: EXAMPLES })
  const commonsModule: ApiModule = {
    prefix: '/',
    failures: commonsFailures,
    securitySchemes: commonsSecurity,
    parameters: sharedParameters,
    neverIgnored: NEVER_IGNORED,
    completeInput: (input) => withPinnedSets(commons, input),
    endpoints: [
      ...systemEndpoints({
        status,
        release: () => commons.releaseFacts(),
        health: () => commons.releaseHealth(),
        metrics,
        ready,
        isComplete,
        dependencies: () => engine.dependencies(),
        document,
      }),
      ...homeEndpoints(commons, { status, config, explorer, hasLogin: login !== undefined }),
      ...explorerEndpoints(explorer),
      ...docsEndpoints(),
      ...termsEndpoints(config.terms),
      ...servicesEndpoints([DRS_SERVICE, ...Object.values(HTSGET_SERVICES)], {
        config,
        tag: status.tag,
      }),
      ...auditEndpoints({
        credentials: submission.credentials,
        audit: engine.shared?.audit,
      }),
      ...notificationEndpoints(commons),
      ...quickSearchEndpoints(commons),
      ...searchEndpoints(commons, build, config),
      ...setsEndpoints(commons),
      ...cohortsEndpoints(commons, config),
      ...sessionEndpoints(submission, config, login),
      ...(login ? peopleEndpoints(login) : []),
      ...tileEndpoints(),
      ...searchGraphEndpoints(commons),
      ...caseTablesEndpoints(commons, build),
      ...mutationTablesEndpoints(commons, build),
      ...mutationStatisticsEndpoints(commons, build),
      ...versionsEndpoints(commons, build),
      ...downloadEndpoints(commons, build, config),
      ...slicingEndpoints(commons),
      ...alignmentEndpoints(commons),
      ...singleCellEndpoints(commons),
      ...analysisEndpoints(commons, build),
      ...survivalEndpoints(commons, build),
      ...comparisonEndpoints(commons, build),
      ...expressionEndpoints(commons, build),
      ...dictionaryEndpoints(submission),
      ...submissionEndpoints(submission),
      ...submissionFileEndpoints(submission),
      ...graphqlEndpoints(submission),
      ...exportEndpoints(submission),
    ],
  }
  const registryModule: ApiModule = {
    prefix: '/rest',
    failures: registryFailures,
    securitySchemes: registrySecurity,
    endpoints: [
      ...stagingEndpoints(registry),
      ...mphEndpoints(registry),
      ...recodeEndpoints(registry),
      ...publishingEndpoints(registry),
      ...ndcEndpoints(registry),
      ...hcpcsEndpoints(registry),
      ...surgeryEndpoints(registry),
      ...naaccrEndpoints(registry),
      ...naaccrFileEndpoints(registry),
      ...naaccrConversionEndpoints(registry),
      ...naaccrEditEndpoints(registry),
    ],
  }
  const drsModule: ApiModule = {
    prefix: DRS_BASE,
    failures: drsFailures,
    securitySchemes: commonsSecurity,
    neverIgnored: NEVER_IGNORED,
    endpoints: drsEndpoints(commons, { config, tag: status.tag }),
  }
  const htsgetModules = (['reads', 'variants'] as const).map(
    (kind): ApiModule => ({
      prefix: `/${kind}`,
      failures: htsgetFailures,
      securitySchemes: commonsSecurity,
      neverIgnored: NEVER_IGNORED,
      endpoints: htsgetEndpoints(commons, kind, { config, tag: status.tag }),
    }),
  )
  const app = composeModules([commonsModule, drsModule, ...htsgetModules, registryModule], {
    config,
    log,
    metrics,
    inflow,
    ready,
    recording: engine.shared?.audit && engine.shared,
    notFoundPage,
  })
  return app
}

function loginFor(config: Config, people: People | undefined): Login | undefined {
  const settings = loginOf(config)
  if (!settings) return undefined
  if (!people) throw new Error('the engine is open without the times of sessions')
  return { settings, provider: new LoginProvider(settings, people.claims), people }
}

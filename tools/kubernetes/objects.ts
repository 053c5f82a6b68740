import type { Deployment } from 'kubernetes-types/apps/v1.js'
import type { Job } from 'kubernetes-types/batch/v1.js'
import type {
  ConfigMap,
  Container,
  EmptyDirVolumeSource,
  PodSpec,
  Service,
} from 'kubernetes-types/core/v1.js'
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.js'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js'
import PACKAGE from '../../package.json' with { type: 'json' }

// casemill on Kubernetes: servers that are equal to each other, and batches in an indexed job. They hold no
// state of their own: that is in PostgreSQL and in a bucket (docs/how-to/operate/several-machines.md).

/** Input of `kubectl apply -k`, for which kubernetes-types has no type. */
export interface Kustomization {
  readonly apiVersion: 'kustomize.config.k8s.io/v1beta1'
  readonly kind: 'Kustomization'
  readonly resources: readonly string[]
}

export type KubernetesObject =
  | ConfigMap
  | Deployment
  | Ingress
  | Job
  | NetworkPolicy
  | PodDisruptionBudget
  | Service

const IMAGE = `images.example.org/casemill:${PACKAGE.version}`
const NAME = 'casemill'
/** User id of the image. */
const USER = 1000
const PORT = 8080
const DATA = '/var/lib/casemill'

const DRAIN_SECONDS = 300
/** Longer than two probes and the spread of what they said. */
const LEAD_SECONDS = 10
/** For what a server does after its last answer. */
const CLOSE_SECONDS = 20

const server = { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/component': 'server' }
const batch = { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/component': 'batch' }

const scratch = (sizeLimit: string): EmptyDirVolumeSource => ({ sizeLimit })

const confined = {
  imagePullPolicy: 'IfNotPresent',
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
} satisfies Partial<Container>

const pod = {
  automountServiceAccountToken: false,
  // Otherwise each pod has CASEMILL_PORT=tcp://…, after the name of the Service.
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: USER,
    runAsGroup: USER,
    fsGroup: USER,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  },
} satisfies Partial<PodSpec>

export const settings: ConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: NAME, labels: server },
  data: {
    CASEMILL_DRAIN_LEAD_SECONDS: String(LEAD_SECONDS),
    CASEMILL_DRAIN_SECONDS: String(DRAIN_SECONDS),
    CASEMILL_LOG_FORMAT: 'json',
    CASEMILL_TRUSTED_PROXIES: '1',
    CASEMILL_S3_BUCKET: 'casemill',
    CASEMILL_S3_ENDPOINT: 'https://storage.example.org',
    CASEMILL_S3_REGION: 'eu-central-1',
  },
}

const spread = (topologyKey: string) => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: 'ScheduleAnyway' as const,
  labelSelector: { matchLabels: server },
})

export const deployment: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: NAME, labels: server },
  spec: {
    replicas: 3,
    selector: { matchLabels: server },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    template: {
      metadata: { labels: server },
      spec: {
        ...pod,
        terminationGracePeriodSeconds: LEAD_SECONDS + DRAIN_SECONDS + CLOSE_SECONDS,
        topologySpreadConstraints: [
          spread('topology.kubernetes.io/zone'),
          spread('kubernetes.io/hostname'),
        ],
        containers: [
          {
            ...confined,
            name: NAME,
            image: IMAGE,
            envFrom: [{ configMapRef: { name: NAME } }, { secretRef: { name: NAME } }],
            ports: [{ name: 'http', containerPort: PORT }],
            // A thread for each processor of the limit.
            resources: {
              requests: { cpu: '2', memory: '4Gi', 'ephemeral-storage': '4Gi' },
              limits: { cpu: '4', memory: '4Gi' },
            },
            startupProbe: {
              httpGet: { path: '/health/live', port: 'http' },
              periodSeconds: 5,
              failureThreshold: 60,
            },
            livenessProbe: {
              httpGet: { path: '/health/live', port: 'http' },
              periodSeconds: 10,
              timeoutSeconds: 5,
              failureThreshold: 6,
            },
            readinessProbe: {
              httpGet: { path: '/health/ready', port: 'http' },
              periodSeconds: 2,
              timeoutSeconds: 2,
              failureThreshold: 2,
            },
            volumeMounts: [
              { name: 'data', mountPath: DATA },
              { name: 'tmp', mountPath: '/tmp' },
            ],
          },
        ],
        volumes: [
          { name: 'data', emptyDir: scratch('50Gi') },
          { name: 'tmp', emptyDir: scratch('10Gi') },
        ],
      },
    },
  },
}

export const service: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: NAME, labels: server },
  spec: { selector: server, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
}

const disruptions: PodDisruptionBudget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: NAME, labels: server },
  spec: { maxUnavailable: 1, selector: { matchLabels: server } },
}

const fromNamespace = (name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
})
const dns = 53
const postgresql = 5432
const bucket = 443

const network: NetworkPolicy = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: NAME, labels: server },
  spec: {
    podSelector: { matchLabels: server },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      {
        from: [fromNamespace('haproxy-controller'), fromNamespace('monitoring')],
        ports: [{ protocol: 'TCP', port: PORT }],
      },
    ],
    egress: [
      {
        ports: [
          { protocol: 'UDP', port: dns },
          { protocol: 'TCP', port: dns },
        ],
      },
      { ports: [{ protocol: 'TCP', port: postgresql }] },
      { ports: [{ protocol: 'TCP', port: bucket }] },
    ],
  },
}

const HOST = 'casemill.example.org'
/** Annotations for the controller of HAProxy: no buffers or limits of bodies, as in docs/haproxy/haproxy.cfg. */
const annotations = {
  'haproxy.org/load-balance': 'leastconn',
  // casemill gives up a client after 120 s.
  'haproxy.org/timeout-server': '150s',
  'haproxy.org/backend-config-snippet': [
    'http-request deny deny_status 404 if { path,url_dec -m sub /metrics }',
    'http-request deny deny_status 404 if { path,url_dec -m reg /health/(.*/)?dependencies }',
    'option redispatch 1',
    'retries 2',
    'retry-on conn-failure empty-response',
    'http-request disable-l7-retry unless METH_GET',
  ].join('\n'),
}

export const ingress: Ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: NAME, labels: server, annotations },
  spec: {
    ingressClassName: 'haproxy',
    tls: [{ hosts: [HOST], secretName: 'casemill-tls' }],
    rules: [
      {
        host: HOST,
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: { service: { name: NAME, port: { name: 'http' } } },
            },
          ],
        },
      },
    ],
  },
}

/** Where the folder that all tasks see is mounted. */
const BATCHES = '/batches'

export const job: Job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'casemill-shards', labels: batch },
  spec: {
    completionMode: 'Indexed',
    completions: 3,
    parallelism: 3,
    backoffLimitPerIndex: 3,
    // A pod that is evicted, or whose machine is lost, is no failure of its shard.
    podFailurePolicy: {
      rules: [
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      ],
    },
    template: {
      metadata: { labels: batch },
      spec: {
        ...pod,
        restartPolicy: 'Never',
        containers: [
          {
            ...confined,
            name: 'shard',
            image: IMAGE,
            args: ['shard', '--plan', `${BATCHES}/plan`],
            resources: {
              requests: { cpu: '4', memory: '4Gi' },
              limits: { cpu: '4', memory: '4Gi' },
            },
            volumeMounts: [
              { name: 'batches', mountPath: BATCHES },
              { name: 'tmp', mountPath: '/tmp' },
            ],
          },
        ],
        volumes: [
          { name: 'batches', persistentVolumeClaim: { claimName: 'casemill-batches' } },
          { name: 'tmp', emptyDir: scratch('10Gi') },
        ],
      },
    },
  },
}

/** A shard needs no network: everything is in the folder. */
const silence: NetworkPolicy = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'casemill-batch', labels: batch },
  spec: { podSelector: { matchLabels: batch }, policyTypes: ['Ingress', 'Egress'] },
}

/** Objects that are applied together, keyed by file name. */
export type ObjectFiles = Readonly<Record<string, KubernetesObject>>

/** Objects, keyed by folder of docs/kubernetes. */
export const FOLDERS: Readonly<Record<string, ObjectFiles>> = {
  '.': {
    'config-map.yaml': settings,
    'deployment.yaml': deployment,
    'service.yaml': service,
    'pod-disruption-budget.yaml': disruptions,
    'network-policy.yaml': network,
    'ingress.yaml': ingress,
  },
  batch: { 'job.yaml': job, 'network-policy.yaml': silence },
}

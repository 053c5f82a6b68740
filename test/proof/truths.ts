// The references with which a file's tests compare, recognized by its path and text.

interface Truth {
  readonly name: string
  readonly path?: RegExp
  readonly text?: RegExp
}

const TRUTHS: readonly Truth[] = [
  { name: 'samtools', text: /available\.samtools|'samtools'/ },
  { name: 'bcftools, tabix', text: /available\.bcftools|'(?:bcftools|tabix)'/ },
  { name: 'htsjdk, pysam', text: /available\.(?:htsjdk|pysam)/ },
  { name: 'R', text: /runR\(|available\.(?:survival|jsonlite|rscript|tcgabiolinks)/ },
  { name: 'Python', text: /runPython\(|available\.(?:python|numpy|pandas)/ },
  { name: 'DuckDB', text: /@duckdb\/node-api/ },
  { name: 'hyparquet, polars', text: /hyparquet|polars/ },
  { name: 'browser', text: /chromium/ },
  {
    name: 'proxies, schedulers',
    text: /available\.(?:nginx|haproxy|slurm|kubectl|buildah|systemd)/,
  },
  { name: 'recorded answers', path: /vectors|recorded|published|pins/, text: /'vectors/ },
  { name: 'public data', text: /publicData\(|available\.shared/ },
  { name: 'jose, oidc-provider', text: /from 'jose'|\/(?:provider|login-world|test-issuer)\.ts'/ },
  { name: 'clients', path: /^test\/(?:clients|get)\// },
  {
    name: 'second implementation',
    path: /oracle|second-opinion|-model\.|evaluator/,
    text: /\/(?:naive|simple|strict)-[\w-]+\.ts'|Simple[A-Z]\w+\(/,
  },
  { name: 'law', text: /'fast-check'/ },
  {
    name: 'fault',
    path: /fault|crash|killed|damage|mutated|full-disk|held|silent|hanging|starved|lost|interrupt|left-streams|broken/,
  },
]

/** The sources of a file's expected values; `stated values` if it states them itself, from the contract. */
export function truthsOf(path: string, text: string): readonly string[] {
  const names = TRUTHS.filter(
    (truth) => truth.path?.test(path) === true || truth.text?.test(text) === true,
  ).map(({ name }) => name)
  return names.length === 0 ? ['stated values'] : names
}

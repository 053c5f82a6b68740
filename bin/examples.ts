import type { Command } from 'commander'

/** Examples in the help of each command. A test fails if a command has none. */
const EXAMPLES: Readonly<Record<string, string>> = {
  serve: 'serve --data my-data --port 8080',
  work: 'work --kinds block-directory --port 8081 --data my-data',
  'work list': 'work list --data my-data',
  'work retry': 'work retry block-directory --data my-data',
  'export lake': 'export lake --out lake --data my-data',
  'export staging': 'export staging --algorithm tnm --version latest -o tnm.zip --data my-data',
  'import bam': 'import bam sample.bam more-bams/ --access open --data my-data',
  'import commons': 'import commons exports/ --dry-run --data my-data',
  'import copy-number': 'import copy-number copies.tsv.gz --data my-data',
  'import cram': 'import cram sample.cram --project TRIAL-ONE --data my-data',
  'import disease': 'import disease diseases.ndjson --publish --data my-data',
  'import expression': 'import expression counts/ --data my-data',
  'import files': 'import files --manifest manifest.txt --from downloads/ --data my-data',
  'import genes': 'import genes genes.tsv.gz --data my-data',
  'import glossary': 'import glossary terms.ndjson --publish --data my-data',
  'import hcpcs': 'import hcpcs hcpcs.tsv.gz --data my-data',
  'import hcpcs-categories': 'import hcpcs-categories procedures.csv --data my-data',
  'import hematopoietic': 'import hematopoietic Hematopoietic2010*.csv --dry-run --data my-data',
  'import maf': 'import maf mutations.maf.gz --data my-data',
  'import naaccr':
    'import naaccr dictionary-250.xml --documentation naaccr25/ --members members.tsv --data my-data',
  'import ndc': 'import ndc product.txt package.txt --report rows.tsv --data my-data',
  'import ndc-categories': 'import ndc-categories categories.tsv --dry-run --data my-data',
  'import rx': 'import rx drugs.ndjson --publish --data my-data',
  'import staging': 'import staging algorithms/*.zip --dry-run --data my-data',
  'import surgery': 'import surgery surgery-tables-*.xml --dry-run --data my-data',
  'import variants': 'import variants calls.vcf.gz peaks.bed.gz --access open --data my-data',
  release: 'release --dry-run --data my-data',
  'release list': 'release list --data my-data',
  'release show': 'release show --data my-data',
  'release publish': 'release publish --data my-data',
  'release switch': 'release switch 20261123T101500000Z --wait 60 --data my-data',
  'release withdraw': 'release withdraw 20261123T101500000Z --data my-data',
  upgrade: 'upgrade --data my-data',
  slice: 'slice sample.bam chr17:7661779-7687550 -o tp53.bam',
  stage: 'stage cases.ndjson --algorithm tnm --version latest -o staged.ndjson --data my-data',
  'staging codebook':
    'staging codebook --algorithm eod_public --version latest --part selection code -o codes.tsv --data my-data',
  'staging diff':
    'staging diff --algorithm tnm --from 2.1 --version latest --format tsv --data my-data',
  'staging list': 'staging list --data my-data',
  mph: 'mph pairs.ndjson -o compared.ndjson',
  registry:
    'registry cases.xml.gz --dictionary naaccr-dictionary-250.xml --algorithm eod_public --version latest -o staged.ndjson --data my-data',
  edits: 'edits cases.xml.gz --format tsv -o edited.tsv --data my-data',
  convert: 'convert cases.xml.gz --rules conversion.txt -o converted.xml --data my-data',
  recode: 'recode seer cases.ndjson --version 2023 -o recoded.ndjson',
  'plan bam': 'plan bam bams/ --out batches/bams --shards 100 --access open',
  'plan mph': 'plan mph pairs.ndjson --out batches/pairs --lines 1000000',
  'plan recode': 'plan recode cases.ndjson --recode seer --out batches/recoded --shards 100',
  'plan registry':
    'plan registry cases.xml --algorithm auto --format tsv --out batches/registry --data my-data',
  'plan stage':
    'plan stage cases.ndjson --algorithm tnm --version latest --out batches/cases --data my-data',
  shard: 'shard 3/100 --plan batches/cases',
  join: 'join --plan batches/cases -o staged.ndjson',
  get: 'get --server http://127.0.0.1:8080 -m manifest.txt -d downloads',
  login: 'login --server http://127.0.0.1:8080 --out token.txt',
  backup: 'backup backups/2026-11-23 --data my-data',
  check: 'check --deep --data my-data',
  'project files': 'project files TRIAL-ONE --wait --data my-data',
  'project list': 'project list --data my-data',
  'project redact': "project redact TRIAL-ONE ID --reason 'consent was withdrawn' --data my-data",
  'project references': 'project references centers.tsv --data my-data',
  'project register': "project register TRIAL-ONE --accession T1 --name 'A trial' --data my-data",
  'project reopen': 'project reopen TRIAL-ONE --data my-data',
  'project subjects': 'project subjects TRIAL-ONE subjects.txt --data my-data',
  'state copy': 'state copy --to database --data my-data',
  'state migrate': 'state migrate --check --data my-data',
  'access map':
    'access map --issuer https://login.example.org --claim groups --value readers --project TRIAL-ONE --data my-data',
  'access unmap':
    'access unmap --issuer https://login.example.org --claim groups --value readers --data my-data',
  'access list': 'access list --data my-data',
  'access revoke':
    'access revoke --issuer https://login.example.org --subject 248289761001 --data my-data',
  'access restore':
    'access restore --issuer https://login.example.org --subject 248289761001 --data my-data',
  'audit verify': 'audit verify --data my-data',
  'audit export':
    'audit export --since 2026-11-01 --subject ada --format parquet -o had.parquet --data my-data',
  'token create': 'token create --user ada --project TRIAL-ONE:read,download --data my-data',
  'token list': 'token list --data my-data',
  'token revoke': 'token revoke ID --data my-data',
  'key create': 'key create --role STAGING_EDITOR --user ada --data my-data',
  'key list': 'key list --data my-data',
  'key revoke': 'key revoke ID --data my-data',
  'notification add':
    "notification add 'Closed on Sunday' --level INFO --component API --data my-data",
  'notification list': 'notification list --data my-data',
  'notification remove': 'notification remove 1 --data my-data',
}

/** Adds examples to the help of a command and its subcommands. */
export function addExamples(command: Command, path: readonly string[] = []): void {
  const example = exampleLine(path)
  if (example !== undefined) command.addHelpText('after', `\nExample:\n  ${example}`)
  for (const each of command.commands) addExamples(each, [...path, each.name()])
}

/** Returns the example of a command as typed in a shell, or `undefined` if there is none. */
export function exampleLine(path: readonly string[]): string | undefined {
  const example = EXAMPLES[path.join(' ')]
  return example === undefined ? undefined : `casemill ${example}`
}

import { useEffect, useState } from 'preact/hooks'
import { cartOf, onPage } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { CohortBar } from '../cohort/cohort-bar.tsx'
import { OthersButton } from '../groups/others-button.tsx'
import { PasteForm } from '../groups/paste-form.tsx'
import { Link } from '../parts/link.tsx'
import { SearchBox } from '../search/search-box.tsx'
import { CredentialsForm } from './credentials-form.tsx'
import { hasLogin } from './has-login.ts'
import { menuOf, pageAt } from './page-list.ts'

/** Shows the menu of all pages. Also shows the cohorts if the page uses them. */
export function Header() {
  const { address } = usePlace()
  const cart = cartOf(address.query)
  const [isOpen, setOpen] = useState(false)
  const all = menuOf(hasLogin())
  const groups = [...new Set(all.map(({ group }) => group))]
  useEffect(() => setOpen(false), [address.page])
  return (
    <header>
      <button type="button" class="skip" onClick={skip}>
        Skip to content
      </button>
      <div class="top">
        <Link to={onPage(address, '')} class="brand">
          casemill
        </Link>
        <button
          type="button"
          class="menu-button"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
        <SearchBox pages={all} />
        {cart.length > 0 && (
          <Link to={onPage(address, 'files')} class="cart-link">
            Cart: {cart.length.toLocaleString('en')}
          </Link>
        )}
        <CredentialsForm />
      </div>
      <nav id="menu" aria-label="Pages" class={isOpen ? 'open' : undefined}>
        {groups.map((group) => (
          <section key={group}>
            <h2>{group}</h2>
            <ul>
              {all
                .filter((page) => page.group === group)
                .map(({ path, title }) => (
                  <li key={path}>
                    <Link to={onPage(address, path)} current={address.page === path}>
                      {title}
                    </Link>
                  </li>
                ))}
            </ul>
          </section>
        ))}
        <section>
          <h2>Programs</h2>
          <ul>
            <li>
              <a href="/docs">API page</a>
            </li>
          </ul>
        </section>
      </nav>
      {pageAt(address.page)?.hasCohort && (
        <CohortBar>
          <OthersButton />
          <PasteForm />
        </CohortBar>
      )}
    </header>
  )
}

/** Moves the focus to the content. Not a link, because the fragment of the URL is used for the state. */
function skip(): void {
  document.querySelector<HTMLElement>('main')?.focus()
}

import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Draft, Song } from '@prelude/contracts'
import { ApiProblem } from '../api/client.ts'
import { AlbumItem, OptimisticItem } from '../features/album/album-item.tsx'
import { SAMPLES } from '../features/landing/samples.ts'
import { SampleCard } from '../features/landing/sample-card.tsx'
import { NO_FILES } from '../features/operator/delivery.ts'
import { DraftItem } from '../features/operator/desk/drafts.tsx'
import { Logo, Reel } from '../ui/brand.tsx'
import { BriefList } from '../ui/brief-list.tsx'
import { Button, buttonClass, IconButton } from '../ui/button.tsx'
import { Cassette } from '../ui/cassette.tsx'
import { Cover } from '../ui/cover.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Select, TextArea, TextField } from '../ui/field.tsx'
import { MadeText } from '../ui/made-text.tsx'
import { Menu } from '../ui/menu.tsx'
import { NextPromise } from '../ui/next-promise.tsx'
import { Notice } from '../ui/notice.tsx'
import { FormError } from '../ui/form-error.tsx'
import { PlayIcon } from '../ui/play-icon.tsx'
import { QueryState } from '../ui/query-state.tsx'
import { SaveLink } from '../ui/save-link.tsx'
import { Strong } from '../ui/strong.tsx'
import { tabId, Tabs } from '../ui/tabs.tsx'
import { usePageTitle } from '../state/title.ts'
import { toast } from '../ui/toast.tsx'
import { Loading } from '../ui/loading.tsx'
import { SignInFirst } from '../ui/sign-in-first.tsx'
import { Waveform } from '../ui/waveform.tsx'
import styles from './gallery.module.css'

/** Every component in every state, at /ui in development only. infra/tests/e2e/components.e2e.ts tests this page. */
export default function Gallery() {
  usePageTitle('Components')
  return (
    <div className={styles.page}>
      <h1>Components</h1>
      <Colours />
      <Type />
      <Example name="Mark, reel and tape">
        <Logo />
        <Logo size={68} />
        <Reel />
        {(['none', 'recording', 'full', 'spilled'] as const).map((tape) => (
          <Cassette key={tape} tape={tape} className={styles.tape} />
        ))}
      </Example>
      <Buttons />
      <Fields />
      <Overlays />
      <Example name="Waveform: untouched, take 1, take 2">
        {[0, 0.4, 0.7].map((played, index) => (
          <div key={played} className={styles.wide}>
            <Waveform
              peaks={SAMPLES[0]?.takes[0]?.peaks ?? []}
              played={played}
              colour={index === 2 ? '--teal' : '--record'}
            />
          </div>
        ))}
      </Example>
      <Album />
      <Drafts />
      <Example name="Covers">
        {['000000', '000009', '000012', '00001b', '000024', '00002d', '000036', '00003f'].map((id) => (
          <Cover key={id} songId={id} className={styles.tape} />
        ))}
      </Example>
      <Example name="Sample">
        {SAMPLES.map((sample) => (
          <div key={sample.artist} className={styles.wide}>
            <SampleCard sample={sample} />
          </div>
        ))}
      </Example>
      <Example name="Loading: in a line, in the place of a page">
        <Loading variant="inline" />
        <Loading />
      </Example>
      <Data />
      <Works />
      <Example name="FormError, a text to copy, a file to save">
        <FormError text="Amount must be greater than 24.99" />
        <span className={styles.copied}>
          Highlife, mid-tempo <CopyButton label="Copy" text="Highlife, mid-tempo" done="copied!" />
        </span>
        <SaveLink className={buttonClass('outline', true)} href="/favicon.svg">
          Save
        </SaveLink>
      </Example>
      <Example name="Brief">
        <div className={styles.wide}>
          <BriefList
            brief={{ genre: 'Highlife', tempoBpm: 96, reference: 'https://example.test', keepWords: true }}
          />
        </div>
      </Example>
      <Example name="Notice">
        <Notice tape="full" title="A page that says one thing">
          <p>
            <Strong text="A sentence in which what counts *is strong*." />
          </p>
          <Button variant="primary">The one way on</Button>
        </Notice>
      </Example>
      <Example name="Sign in first">
        <SignInFirst title="A page that needs a person" />
      </Example>
    </div>
  )
}

/** "Try again" loads without end; "Fail" then shows the reason of an attempt that has a next one. */
function Data() {
  const failure = new ApiProblem(503, 'unavailable', 'The server does not answer.')
  const [attempt, setAttempt] = useState(1)
  const [error, failureReason] = attempt === 1 ? [failure, null] : [null, attempt === 2 ? null : failure]
  const refetch = () => {
    setAttempt((before) => before + 1)
    return new Promise<never>(() => {})
  }
  return (
    <Example name="Data that could not be loaded">
      <QueryState query={{ error, failureReason, refetch }} variant="inline" />
      <Button small onClick={() => void refetch()}>
        Fail
      </Button>
    </Example>
  )
}

function Example({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      <div className={styles.things}>{children}</div>
    </section>
  )
}

const COLOURS = ['paper', 'sheet', 'ink', 'soft', 'line', 'record', 'teal', 'amber'] as const

function Colours() {
  return (
    <Example name="Colours">
      {COLOURS.map((name) => (
        <div key={name} className={styles.swatch}>
          <span style={{ background: `var(--${name})` }} />
          <code className="mono">--{name}</code>
        </div>
      ))}
    </Example>
  )
}

const SIZES = ['figure', 'hint', 'second', 'title', 'section', 'card', 'page'] as const
const STEPS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20] as const

function Type() {
  return (
    <Example name="Type and space">
      <div className={styles.wide}>
        <p className={styles.display}>Bricolage, condensed: what is said loudly</p>
        <p>Instrument Sans: what is read. Lyrics, sentences, labels, 16 px on 24.</p>
        <p className="mono">DM Mono 0123456789: 25.00 credits · 3:07 · 96 bpm</p>
      </div>
      <div className={styles.wide}>
        {SIZES.map((name) => (
          <p key={name} style={{ fontSize: `var(--type-${name})` }}>
            --type-{name}
          </p>
        ))}
      </div>
      <div className={styles.wide}>
        {STEPS.map((steps) => (
          <div key={steps} className={styles.step}>
            <code className="mono">--space-{steps}</code>
            <span style={{ width: `var(--space-${steps})` }} />
          </div>
        ))}
      </div>
    </Example>
  )
}

function Buttons() {
  return (
    <Example name="Buttons">
      <Button variant="primary">Primary</Button>
      <Button variant="primary" disabled>
        Primary, off
      </Button>
      <Button>Outline</Button>
      <Button disabled>Outline, off</Button>
      <Button variant="quiet">Quiet</Button>
      <Button small>Small</Button>
      <Button small variant="primary">
        Small, primary
      </Button>
      <Button small disabled>
        Cooking...
      </Button>
      <Button aria-pressed>Pressed</Button>
      <Button busy>Busy</Button>
      <a className={buttonClass()} href="/ui">
        A link
      </a>
      <IconButton label="Close">
        <X aria-hidden size={20} />
      </IconButton>
      <PlayIcon playing={false} />
      <PlayIcon playing />
    </Example>
  )
}

function Fields() {
  return (
    <Example name="Fields">
      <div className={styles.wide}>
        <TextField label="Text" placeholder="A placeholder" hint="A hint below." />
      </div>
      <div className={styles.wide}>
        <TextField label="Text, read-only" readOnly value="Kept as it is while it is sent" />
      </div>
      <div className={styles.wide}>
        <TextField label="Text, off" disabled defaultValue="Not now" />
      </div>
      <div className={styles.wide}>
        <Select label="Choice" hint="The system's own list.">
          <option>Card</option>
          <option>Naira Transfer</option>
        </Select>
      </div>
      <div className={styles.wide}>
        <TextArea
          label="Lyrics"
          ruled
          rows={6}
          placeholder="Paste your lyrics here, complete or incomplete"
        />
      </div>
      <div className={styles.wide}>
        <TextArea label="Style" rows={2} hint="Describe the genre, speed, voice and instruments." />
      </div>
      <label className={styles.box}>
        <input type="checkbox" /> A box to tick
      </label>
      <label className={styles.box}>
        <input type="checkbox" defaultChecked /> A box that is ticked
      </label>
      <details>
        <summary>A paragraph that opens</summary>
        Here it is.
      </details>
    </Example>
  )
}

/** Tabs with counts, how a version was made, and when a song will be ready, which is not known here. */
function Works() {
  const [tab, setTab] = useState<'todo' | 'late'>('todo')
  return (
    <Example name="Tabs and sentences">
      <Tabs
        label="Tabs"
        names={{ todo: 'To do', late: 'Late' }}
        counts={{ todo: 44, late: 3 }}
        selected={tab}
        panelId="gallery-panel"
        onSelect={setTab}
      />
      <div role="tabpanel" id="gallery-panel" aria-labelledby={tabId('gallery-panel', tab)}>
        <MadeText made={{ how: 'assisted', with: 'ACE-Step 1.5' }} /> · <MadeText made={null} />
        <NextPromise />
      </div>
    </Example>
  )
}

function Overlays() {
  const [open, setOpen] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const [done, setDone] = useState<() => void>()
  const toggle = (): void => {
    const next = done ? done() : toast.progress('Uploading...')
    setDone(() => next ?? undefined)
  }
  return (
    <Example name="What opens">
      <Menu
        label="Menu"
        name="Menu"
        entries={[
          { label: 'Version 1', dot: 'var(--record)', onSelect: () => toast.status('Version 1') },
          { label: 'Version 2', dot: 'var(--teal)', onSelect: () => toast.status('Version 2') },
          { label: 'On', checked: true, onSelect: () => {} },
          { label: 'A link', href: '/ui' },
          { label: 'Without a dot', onSelect: () => {} },
        ]}
      />
      <Button onClick={() => setOpen(true)}>Dialog</Button>
      <Button onClick={() => setAsking(true)}>Question</Button>
      {isAsking && (
        <ConfirmDialog
          question="End this link?"
          action="End link"
          back="Keep it"
          busy={false}
          onConfirm={async () => {}}
          onClose={() => setAsking(false)}
        >
          <p>Who has it can no longer open it.</p>
        </ConfirmDialog>
      )}
      <Button onClick={() => toast.status('Request submitted.')}>Message: status</Button>
      <Button onClick={() => toast.alert('Error submitting request. Try again.')}>Message: alert</Button>
      <Button onClick={toggle}>{done ? 'Message: done' : 'Message: progress'}</Button>
      <Dialog title="Coming Soon" open={open} onOpenChange={setOpen}>
        <p>The marketplace is coming soon.</p>
      </Dialog>
    </Example>
  )
}

const SONG: Song = {
  id: '00000000-0000-7000-8000-000000000000',
  uid: 'somebody',
  username: 'Ada Obi',
  email: 'ada@example.test',
  lyrics: 'Lagos light on the water, carry me slow, every road that I borrowed',
  style: 'Highlife, mid-tempo, warm male voice, horns and palm-wine guitar',
  status: 'pending',
  charged: false,
  charge: 'deciding',
  price: null,
  revision: 1,
  createdAt: Date.now() - 240_000,
  updatedAt: null,
  title: null,
  favourite: false,
  preferred: null,
  archived: false,
  brief: null,
  promisedAt: null,
  readyBy: null,
  startedAt: null,
  closedAt: null,
  closedReason: null,
  changes: null,
  takes: null,
  made: null,
  acceptedAt: null,
  certificate: null,
  timeline: [],
  messages: { count: 0, unread: 0 },
  downloadUrl1: null,
  downloadUrl2: null,
}
const READY = {
  ...SONG,
  status: 'ready',
  updatedAt: Date.now(),
  downloadUrl1: '/1',
  downloadUrl2: '/2',
} as const
const STATES: Record<string, Song> = {
  deciding: SONG,
  charged: { ...SONG, charged: true, charge: 'charged' },
  'low credits': { ...SONG, charge: 'declined' },
  'given back': { ...SONG, charge: 'refunded' },
  ready: { ...READY, charged: true, charge: 'charged' },
  'a gift, one version': { ...READY, charge: 'gift', downloadUrl2: null },
}

function Album() {
  return (
    <Example name="Album item: on its way, deciding, charged, low credits, given back, ready, a gift">
      <ul className={styles.list}>
        <OptimisticItem song={SONG} />
        {Object.entries(STATES).map(([name, song]) => (
          <AlbumItem key={name} song={{ ...song, id: name }} />
        ))}
      </ul>
    </Example>
  )
}

const DRAFT: Draft = {
  id: '00000000-0000-7000-8000-000000000001',
  songId: SONG.id,
  n: 1,
  revision: 1,
  state: 'waiting',
  seed: null,
  durationMs: null,
  with: null,
  error: null,
  uploadId: null,
  expectedAt: null,
  createdAt: Date.now(),
  readyAt: null,
}
const DRAFTS: readonly Partial<Draft>[] = [
  {},
  { state: 'making', expectedAt: Date.now() + 240_000 },
  { state: 'ready', durationMs: 161_000, with: 'ACE-Step 1.5' },
  { state: 'ready', durationMs: 161_000, createdAt: 0 },
  { state: 'failed', error: 'The generator has no memory left.' },
  { state: 'lost', error: 'The generator no longer knows it.' },
]

function Drafts() {
  const song = { ...SONG, correctedAt: 1 }
  return (
    <Example name="Draft: waiting, being made, ready, of older words, failed, lost">
      <ul className={styles.list}>
        {DRAFTS.map((draft, n) => (
          <DraftItem
            key={n}
            song={song}
            draft={{ ...DRAFT, ...draft, n: n + 1, id: String(n) }}
            files={NO_FILES}
            onChoose={() => {}}
            onRemoved={() => {}}
          />
        ))}
      </ul>
    </Example>
  )
}

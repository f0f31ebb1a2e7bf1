import { useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import {
  Autocomplete,
  Dialog as AriaDialog,
  Heading,
  Header,
  Input,
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  MenuSection,
  MenuTrigger,
  Modal,
  ModalOverlay,
  Popover,
  SearchField,
  Tab as AriaTab,
  TabList,
  TabPanel,
  Tabs as AriaTabs,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
  Tooltip as AriaTooltip,
  TooltipTrigger,
  useFilter,
} from 'react-aria-components';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import popover from './popover.module.css';
import styles from './overlay.module.css';

interface DialogProps {
  title: string;
  isOpen: boolean;
  /** Is called by Escape and by a click beside the dialog. Without it, only an action closes the dialog. */
  onClose?: () => void;
  /** An alert interrupts: it asks before something is destroyed. */
  role?: 'dialog' | 'alertdialog';
  isWide?: boolean;
  children: ReactNode;
}

/** A dialog over the page. The focus stays in it, and returns when it closes. */
export function Dialog({ title, isOpen, onClose, role = 'dialog', isWide, children }: DialogProps): ReactNode {
  return (
    <ModalOverlay
      className={styles.backdrop}
      isOpen={isOpen}
      isDismissable={onClose !== undefined && role === 'dialog'}
      isKeyboardDismissDisabled={onClose === undefined}
      onOpenChange={(open) => !open && onClose?.()}
    >
      <Modal className={classes(styles.modal, isWide && styles.wide)}>
        <AriaDialog className={styles.dialog} role={role}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The buttons at the end of a dialog or a form. The main one is the last. */
export function Actions({ children }: { children: ReactNode }): ReactNode {
  return <div className={styles.actions}>{children}</div>;
}

/** Asks before something is destroyed. The dialog begins on Cancel. */
export function ConfirmDialog(props: {
  /** Names the thing, such as "Delete endpoint we_…?". */
  title: string;
  isOpen: boolean;
  onCancel: () => void;
  onConfirm: () => void;
  /** What the button does: "Delete endpoint". */
  confirmText: string;
  /** What the other button does, if "Cancel" could be taken for the deed. */
  cancelText?: string;
  isPending?: boolean;
  /** What will be gone. */
  children: ReactNode;
}): ReactNode {
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onCancel} role="alertdialog">
      <div>{props.children}</div>
      <Actions>
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- A dialog that destroys begins on Cancel. */}
        <Button autoFocus onPress={props.onCancel}>
          {props.cancelText ?? 'Cancel'}
        </Button>
        <Button look="danger" onPress={props.onConfirm} isDisabled={props.isPending}>
          {props.confirmText}
        </Button>
      </Actions>
    </Dialog>
  );
}

export interface MenuEntry {
  id: string;
  name: string;
  /** Leads to a page. */
  href?: string;
  onAction?: () => void;
  isDanger?: boolean;
  /** Says why the entry cannot be used, such as the permission that is missing. */
  disabledReason?: string;
}

export interface MenuGroup {
  id: string;
  title?: string;
  entries: readonly MenuEntry[];
}

/** A button with a menu. */
export function Menu({ trigger, groups }: { trigger: ReactElement; groups: readonly MenuGroup[] }): ReactNode {
  const entries = new Map(groups.flatMap((group) => group.entries.map((entry) => [entry.id, entry] as const)));
  return (
    <MenuTrigger>
      {trigger}
      <Popover className={popover.popover} placement="bottom end" offset={4}>
        <AriaMenu
          className={popover.list}
          onAction={(key) => entries.get(String(key))?.onAction?.()}
          disabledKeys={[...entries.values()].filter((entry) => entry.disabledReason !== undefined).map(({ id }) => id)}
        >
          {groups.map((group) => (
            <MenuSection key={group.id} aria-label={group.title ?? 'Actions'}>
              {group.title !== undefined && <Header className={popover.section}>{group.title}</Header>}
              {group.entries.map((entry) => (
                <AriaMenuItem
                  key={entry.id}
                  id={entry.id}
                  textValue={entry.name}
                  href={entry.href}
                  className={classes(popover.item, entry.isDanger && popover.danger)}
                >
                  <Text slot="label">{entry.name}</Text>
                  {entry.disabledReason !== undefined && (
                    <Text slot="description" className={popover.end}>
                      {entry.disabledReason}
                    </Text>
                  )}
                </AriaMenuItem>
              ))}
            </MenuSection>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

export interface TabDefinition {
  id: string;
  title: string;
  content: ReactNode;
}

/** Parts of a page, one of which is shown. Give `selected` and `onSelect` to keep the choice in the URL. */
export function Tabs(props: {
  label: string;
  tabs: readonly TabDefinition[];
  selected?: string;
  onSelect?: (id: string) => void;
}): ReactNode {
  return (
    <AriaTabs
      className={styles.tabs}
      selectedKey={props.selected}
      onSelectionChange={(key) => props.onSelect?.(String(key))}
    >
      <TabList className={styles.tabList} aria-label={props.label}>
        {props.tabs.map(({ id, title }) => (
          <AriaTab key={id} id={id} className={styles.tab}>
            {title}
          </AriaTab>
        ))}
      </TabList>
      {props.tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className={styles.panel}>
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}

/** A short text about a button, shown by hover and by focus. */
export function Tooltip({ text, children }: { text: string; children: ReactElement }): ReactNode {
  return (
    <TooltipTrigger delay={500} closeDelay={0}>
      {children}
      <AriaTooltip className={popover.tooltip} offset={6}>
        {text}
      </AriaTooltip>
    </TooltipTrigger>
  );
}

const toasts = new ToastQueue<string>({ maxVisibleToasts: 3 });

/** Tells what was done. Errors belong beside what failed, and not here. */
export function toast(text: string): void {
  toasts.add(text, { timeout: 6_000 });
}

/** Scrolls the focused control clear of a new toast, which would hide it from users of the keyboard. */
function clearFocus(shown: HTMLElement | null): void {
  if (shown) document.querySelector(':focus-visible')?.scrollIntoView({ block: 'nearest' });
}

/** The place where toasts appear, once in an app. */
export function Toasts(): ReactNode {
  return (
    <ToastRegion queue={toasts} className={styles.toasts} aria-label="Notifications">
      {({ toast: shown }) => (
        <Toast ref={clearFocus} toast={shown} className={styles.toast}>
          <ToastContent className={styles.toastText}>
            <Text slot="title">{shown.content}</Text>
          </ToastContent>
          <Button slot="close" look="plain" isSmall isIcon aria-label="Dismiss">
            <Icon name="close" size={12} />
          </Button>
        </Toast>
      )}
    </ToastRegion>
  );
}

export interface PaletteEntry extends MenuEntry {
  icon: IconName;
  /** A second line. */
  detail?: string;
}

export interface PaletteGroup {
  id: string;
  title: string;
  entries: readonly PaletteEntry[];
  /** The typed text found the entries already, so that all of them are shown. */
  isFound?: boolean;
}

/** A dialog with a field that filters entries as the reader types. The arrow keys choose one, and Enter takes it. */
export function CommandPalette(props: {
  title: string;
  placeholder: string;
  isOpen: boolean;
  onClose: () => void;
  groups: readonly PaletteGroup[];
  text: string;
  onTextChange: (text: string) => void;
  /** Says what the groups do not: that more is being looked for, or why nothing was found. */
  status?: string;
}): ReactNode {
  const { title, placeholder, isOpen, onClose, groups, text, onTextChange, status } = props;
  const { contains } = useFilter({ sensitivity: 'base' });
  const entries = new Map(groups.flatMap((group) => group.entries.map((entry) => [entry.id, entry] as const)));
  const found = new Set(groups.filter(({ isFound }) => isFound).flatMap((group) => group.entries.map(({ id }) => id)));
  const take = (id: string): void => {
    onClose();
    entries.get(id)?.onAction?.();
  };
  const [menu, setMenu] = useState<HTMLDivElement | null>(null);
  const hasMoved = useRef(false);
  const noteMove = ({ key }: { key: string }): void => {
    if (key === 'ArrowDown' || key === 'ArrowUp') hasMoved.current = true;
  };
  const isSearching = text !== '';
  // The menu keeps its place when other results come. They are about another text, so the first of them is the best.
  useEffect(() => {
    if (menu === null || !isSearching) return;
    const observer = new MutationObserver(() => {
      if (hasMoved.current) return;
      menu.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true, cancelable: true }));
    });
    observer.observe(menu, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [menu, isSearching]);
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <Autocomplete
        inputValue={text}
        onInputChange={(typed) => {
          hasMoved.current = false;
          onTextChange(typed);
        }}
        filter={(name, typed, { key }) => found.has(String(key)) || contains(name, typed)}
      >
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- The field is the only thing to use in this dialog. */}
        <SearchField aria-label={placeholder} autoFocus onKeyDown={noteMove}>
          <Input className={styles.paletteInput} placeholder={placeholder} />
        </SearchField>
        <AriaMenu
          ref={setMenu}
          aria-label="Results"
          className={popover.list}
          onAction={(key) => take(String(key))}
          renderEmptyState={() => <div className={popover.section}>Nothing found.</div>}
        >
          {groups.map((group) => (
            <MenuSection key={group.id} aria-label={group.title}>
              <Header className={popover.section}>{group.title}</Header>
              {group.entries.map((entry) => (
                <AriaMenuItem key={entry.id} id={entry.id} textValue={entry.name} className={popover.item}>
                  <Icon name={entry.icon} />
                  {/* Both lines are the name, because a screen reader says what can be seen. */}
                  <Text slot="label" className={styles.paletteLines}>
                    <span>{entry.name}</span>
                    {entry.detail !== undefined && <span className={styles.paletteDetail}>{entry.detail}</span>}
                  </Text>
                </AriaMenuItem>
              ))}
            </MenuSection>
          ))}
        </AriaMenu>
      </Autocomplete>
      <div role="status" className={styles.paletteStatus}>
        {status}
      </div>
    </Dialog>
  );
}

export { Button, ButtonLink, Link, type ButtonLook, type ButtonProps } from './button.tsx';
export { BarChart, Sparkline, type Series } from './chart.tsx';
export { Checkboxes, FileField, Picker, Radios, type Option } from './choose.tsx';
export { classes } from './classes.ts';
export {
  Badge,
  CopyButton,
  Details,
  EmptyState,
  ErrorState,
  Id,
  Pagination,
  Prose,
  Skeleton,
  Table,
  type Column,
  type ShownError,
  type Tone,
} from './data.tsx';
export { Checkbox, ComboBox, PasswordField, Select, Switch, TextField, type Choice } from './field.tsx';
export { Icon, Mark, type IconName } from './icons.tsx';
export { CodeBlock, DifferenceTable, JsonDiff, JsonViewer, type DifferenceRow } from './json.tsx';
export {
  Actions,
  CommandPalette,
  ConfirmDialog,
  Dialog,
  Menu,
  Tabs,
  toast,
  Toasts,
  Tooltip,
  type MenuEntry,
  type MenuGroup,
  type PaletteEntry,
  type PaletteGroup,
  type TabDefinition,
} from './overlay.tsx';
export { KitProvider } from './react-aria.tsx';
export { ExactTime, Time, TimeContext, type TimeSettings } from './time.tsx';
export { VirtualList } from './virtual-list.tsx';

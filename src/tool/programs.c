/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs.c - the table of launchers and interpreters, and how it is searched.
 *
 * An option is listed without its dashes; one character is a short option. "#" is a number, as in
 * `nice -5`. A long option may be abbreviated. An option with one dash, of a program whose long
 * options have two, is listed with its dash: "-wrapper". Tests: tests/tool/programs_test.c.
 */
#include "tool/programs.h"

#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"

#define LAUNCHER    HAFT__PROGRAM_LAUNCHER
#define JOINER      HAFT__PROGRAM_JOINER
#define INTERPRETER HAFT__PROGRAM_INTERPRETER
#define EVALUATOR   HAFT__PROGRAM_EVALUATOR
#define CODE        HAFT__PROGRAM_CODE
#define TEXT        HAFT__PROGRAM_TEXT
#define ASSIGNS     HAFT__PROGRAM_ASSIGNS
#define MIXES       HAFT__PROGRAM_MIXES
#define STOPS       HAFT__PROGRAM_STOPS
#define STDIN       HAFT__PROGRAM_STDIN
#define FEEDS       HAFT__PROGRAM_FEEDS
#define LONG        HAFT__PROGRAM_LONG
#define COMMON      HAFT__PROGRAM_COMMON
#define PLUS        HAFT__PROGRAM_PLUS
#define OPENS       HAFT__PROGRAM_OPENS
#define HARMLESS    HAFT__PROGRAM_HARMLESS
#define SUBCOMMAND  HAFT__PROGRAM_SUBCOMMAND
#define BUNDLE      HAFT__PROGRAM_BUNDLE
#define WARNS       HAFT__PROGRAM_WARNS
#define HERE        HAFT__PROGRAM_HERE

#define CONTAINER                                                                                  \
    "H= host= context= config= l= log-level= c= tls tlscacert= tlscert= tlskey= tlsverify D "      \
    "debug d detach detach-keys= e= env= env-file= i interactive privileged t tty u= user= w= "    \
    "workdir= T no-TTY no-tty index= f= file= p= project-name= profile= project-directory= "       \
    "ansi= progress= n= namespace= latest preserve-fds= "

#define CONTAINER_RUN                                                                              \
    CONTAINER                                                                                      \
    "a= attach= add-host= annotation= cap-add= cap-drop= cgroup-parent= cgroupns= cidfile= "       \
    "cpu-shares= cpus= cpuset-cpus= cpuset-mems= device= dns= dns-option= dns-search= "            \
    "domainname= "                                                                                 \
    "entrypoint= expose= gpus= group-add= health-cmd! h= hostname= init ip= ip6= ipc= isolation= " \
    "label= label-file= link= log-driver= log-opt= m= memory= memory-swap= mount= name= network= " \
    "net= no-healthcheck oom-kill-disable pid= pids-limit= platform= P publish-all publish= "      \
    "pull= q quiet read-only restart= rm runtime= security-opt= shm-size= sig-proxy "              \
    "stop-signal= stop-timeout= tmpfs= ulimit= userns= uts= v= volume= volumes-from= "             \
    "service-ports no-deps build"

#define KUBERNETES                                                                                 \
    "n= namespace= context= kubeconfig= cluster= user= s= server= token= as= c= container= i "     \
    "stdin t tty q quiet f= filename= pod-running-timeout= request-timeout= image= rm restart= "   \
    "attach command env= l= labels= overrides= port= "

#define GIT "c! config-env! exec-path! C= git-dir= work-tree= P no-pager p paginate "

#define CURL                                                                                       \
    "K@ config@ s silent S show-error L location f fail i include I head k insecure v verbose g "  \
    "globoff G get compressed X: request: H: header: d: data: data-raw: data-binary: "             \
    "data-urlencode: json: o: output: O remote-name A: user-agent: e: referer: m: max-time: "      \
    "connect-timeout: retry: u: user: b: cookie: F: form: r: range: w: write-out: url: 4 6 0 "     \
    "http1.1 http2 N no-buffer"

#define SETARCH                                                                                    \
    "B 32bit F fdpic-funcptrs I short-inode L addr-compat-layout R addr-no-randomize S "           \
    "whole-seconds T sticky-timeouts X read-implies-exec Z mmap-page-zero 3 3gb 4gb v verbose"

static const haft__program programs[] = {
    /* ---- launchers ---- */
    {"timeout", NULL, LAUNCHER, 1, HERE,
     "s= signal= k= kill-after= f foreground p preserve-status v verbose"},
    {"env", NULL, LAUNCHER, 0, ASSIGNS | COMMON | HERE,
     "i ignore-environment 0 null u= unset= C= chdir= S! split-string! v debug block-signal "
     "default-signal ignore-signal list-signal-handling argv0= a="},
    {"nice", NULL, LAUNCHER, 0, COMMON | HERE, "n= adjustment= #"},
    {"ionice", NULL, LAUNCHER, 0, HERE,
     "c= class= n= classdata= t ignore p= pid= P= pgid= u= uid="},
    {"chrt", NULL, LAUNCHER, 1, 0,
     "a all-tasks b batch d deadline f fifo i idle m max o other r rr R reset-on-fork v verbose "
     "T= sched-runtime= P= sched-period= D= sched-deadline= p pid"},
    {"taskset", NULL, LAUNCHER, 1, HERE, "a all-tasks c cpu-list p pid"},
    {"numactl", NULL, LAUNCHER, 0, HERE,
     "a all i= interleave= m= membind= N= cpunodebind= C= physcpubind= p= preferred= l localalloc"},
    {"nohup eatmydata fakeroot torify proxychains dumb-init chronic unbuffer dbus-run-session "
     "linux32 linux64 catchsegv",
     NULL, LAUNCHER, 0, HERE, "c= q rewrite= single-child v f="},
    {"torsocks", NULL, LAUNCHER, 0, HERE,
     "i isolate q quiet d debug a= address= P= port= u= p= pass="},
    {"setarch",
     "i386|i486|i586|i686|x86_64|linux32|linux64|uname26|armv7l|armv8l|armh|arm|aarch64|arm64|ppc|"
     "ppc32|ppc64|ppc64le|s390|s390x|riscv64|loongarch64|mips|mips64|sparc|sparc64|alpha|ia64",
     LAUNCHER, 0, 0, SETARCH},
    {"setarch", NULL, LAUNCHER, 0, 0, SETARCH},
    {"setsid", NULL, LAUNCHER, 0, HERE, "c ctty f fork w wait"},
    {"chpst", NULL, LAUNCHER, 0, HERE, "u= U= b= e= /= n= l= L= m= d= o= p= f= c= v P 0 1 2"},
    {"softlimit", NULL, LAUNCHER, 0, HERE, "a= c= d= f= l= m= o= p= r= s= t="},
    {"envdir envuidgid setuidgid setlock", NULL, LAUNCHER, 1, HERE, "n N x X"},
    {"caffeinate sandbox-exec", NULL, LAUNCHER, 0, HERE, "d i m s u t= w= f= n= p= D="},
    {"wine wine64 qemu-x86_64 qemu-i386 qemu-aarch64 qemu-arm qemu-riscv64 qemu-ppc64le", NULL,
     LAUNCHER, 0, LONG, "L= cpu= E= U= 0= s= B= R= d= D= g= p= strace singlestep one-insn-per-tb"},
    {"stdbuf", NULL, LAUNCHER, 0, HERE, "i= input= o= output= e= error="},
    {"time", NULL, LAUNCHER, 0, COMMON | HERE,
     "f= format= o= output= a append p portability q quiet v "
     "verbose"},
    {"sudo", NULL, LAUNCHER, 0, ASSIGNS,
     "A askpass b background B bell C= close-from= D= chdir= E preserve-env g= group= H set-home "
     "h= host= i login k reset-timestamp K remove-timestamp n non-interactive P preserve-groups "
     "p= prompt= R= chroot= r= role= s shell S stdin T= command-timeout= t= type= u= user= v "
     "validate"},
    {"doas", NULL, LAUNCHER, 0, 0, "a= C= L n s u="},
    {"pkexec", NULL, LAUNCHER, 0, 0, "u= user= disable-internal-agent keep-cwd"},
    {"gosu su-exec", NULL, LAUNCHER, 1, 0, ""},
    {"setpriv", NULL, LAUNCHER, 0, 0,
     "d dump clear-groups keep-groups init-groups groups= inh-caps= ambient-caps= bounding-set= "
     "no-new-privs nnp pdeathsig= rgid= egid= regid= ruid= euid= reuid= securebits= "
     "selinux-label= apparmor-profile= reset-env landlock-access= landlock-rule= seccomp-filter="},
    {"chroot", NULL, LAUNCHER, 1, 0, "userspec= u= g= G= groups= skip-chdir"},
    {"unshare", NULL, LAUNCHER, 0, 0,
     "i ipc m mount n net p pid u uts U user C cgroup T time f fork r map-root-user c "
     "map-current-user map-auto map-user= map-group= map-users= map-groups= keep-caps kill-child "
     "mount-proc propagation= setgroups= R= root= w= wd= S= setuid= G= setgid= monotonic= "
     "boottime= l= load-interp= mount-binfmt"},
    {"nsenter", NULL, LAUNCHER, 0, 0,
     "a all t= target= m mount u uts i ipc n net p pid U user C cgroup T time S= setuid= G= "
     "setgid= preserve-credentials r root w wd W= wdns= e env F no-fork Z follow-context"},
    {"bwrap", NULL, LAUNCHER, 0, 0,
     "args= argv0= unshare-all unshare-user unshare-ipc unshare-pid unshare-net unshare-uts "
     "unshare-cgroup share-net die-with-parent new-session clearenv as-pid-1 chdir= unsetenv= "
     "uid= gid= hostname= proc= dev= tmpfs= mqueue= dir= lock-file= sync-fd= info-fd= seccomp= "
     "exec-label= file-label= remount-ro= userns="}, /* options with two values are not listed: they
                                                        count as unknown */
    {"flock", NULL, LAUNCHER, 1, HERE,
     "s shared x e exclusive u unlock n nb nonblock w= wait= timeout= E= conflict-exit-code= o "
     "close F no-fork c! command! verbose fcntl"},
    {"prlimit", NULL, LAUNCHER, 0, HERE,
     "p= pid= o= output= noheadings raw verbose c core d data e nice f fsize i sigpending l "
     "memlock m rss n nofile q msgqueue r rtprio s stack t cpu u nproc v as x locks y rttime"},
    {"strace ltrace", NULL, LAUNCHER, 0, HERE,
     "a= b= c C d D e= E= f ff F h i I= k l= n= o! O= p= P= q qq r s= S= t tt ttt T u= U= v w x xx "
     "X= y yy Y z Z output! trace= follow-forks"},
    {"valgrind", NULL, LAUNCHER, 0, HERE, "v verbose q quiet d"},
    {"gdb lldb", NULL, CODE, 0, STDIN, ""},
    {"systemd-run", NULL, LAUNCHER, 0, 0,
     "user system scope u= unit= p= property= description= slice= slice-inherit E= setenv= G "
     "collect t pty P pipe q quiet r remain-after-exit send-sighup service-type= uid= gid= nice= "
     "working-directory= d same-dir S shell wait no-block no-ask-password H= host= M= machine= "
     "on-active= on-boot= on-startup= on-unit-active= on-unit-inactive= on-calendar= "
     "on-clock-change on-timezone-change path-property= socket-property= timer-property= "
     "expand-environment="},
    {"systemd-inhibit", NULL, LAUNCHER, 0, HERE, "what= who= why= mode= list no-pager no-legend"},
    {"xvfb-run", NULL, LAUNCHER, 0, HERE,
     "a auto-servernum d auto-display e= error-file= f= auth-file= l listen-tcp n= server-num= p= "
     "xauth-protocol= s= server-args= w= wait="},
    {"sshpass", NULL, LAUNCHER, 0, HERE, "p= f= d= e P= v"},
    {"tini", NULL, LAUNCHER, 0, HERE, "s p= v vv vvv w g e= l"},
    {"rlwrap", NULL, LAUNCHER, 0, HERE, "a c e= f= H= i l= m M= n N o p P= q= r R s= S= t= w= z!"},
    {"busybox toybox", NULL, LAUNCHER, 0, 0, ""},
    {"command builtin exec", NULL, LAUNCHER, 0, COMMON, "p v V a= c l"},
    {"xargs", NULL, LAUNCHER, 0, FEEDS | HERE,
     "0 null a= arg-file= d= delimiter= E= e eof I= i replace L= l max-lines n= max-args= o "
     "open-tty P= max-procs= p interactive process-slot-var= r no-run-if-empty s= max-chars= "
     "show-limits t verbose x exit"},
    {"start-stop-daemon", NULL, CODE, 0, 0, ""},
    {"entr", NULL, LAUNCHER, 0, FEEDS | HERE, "a c d n p r z s"},
    {"choom", NULL, LAUNCHER, 0, HERE, "n= adjust= p= pid="},
    {"ld.so ld-linux.so ld-linux-x86-64.so ld-linux-aarch64.so ld-musl-x86_64.so "
     "ld-musl-aarch64.so",
     NULL, LAUNCHER, 0, 0,
     "library-path= preload= audit= argv0= inhibit-cache inhibit-rpath= glibc-hwcaps-mask= "
     "glibc-hwcaps-prepend= list verify"},
    {"capsh", NULL, CODE, 0, STDIN, ""},
    {"faketime", NULL, LAUNCHER, 1, HERE, "f m p= exclude-monotonic date-prog="},
    {"firejail proot", NULL, LAUNCHER, 0, 0, "quiet noprofile r= b= w= 0 S= R= q="},
    {"runcon", NULL, LAUNCHER, 1, 0, "t= type= u= user= r= role= l= range= c compute"},
    {"systemd-cat", NULL, LAUNCHER, 0, 0,
     "t= identifier= p= priority= stderr-priority= level-prefix= namespace="},
    {"ssh-agent", NULL, LAUNCHER, 0, 0, "a= c D d E= k O= P= s t="},
    /* the programs that it starts are the files of a directory */
    {"run-parts", NULL, LAUNCHER, 0, 0,
     "test list v verbose report d debug random reverse exit-on-error lsbsysinit new-session "
     "stdin u= umask= a= arg= regex="},
    {"ccache", NULL, LAUNCHER, 0, 0,
     "c cleanup C clear z zero-stats s show-stats v verbose p show-config d= dir= F= max-files= "
     "M= max-size= k= get-config= o= set-config= x show-compression X= recompress="},
    {"cpulimit", NULL, LAUNCHER, 0, 0,
     "l= limit= p= pid= e= exe= P= path= c= cpu= s= signal= b background f foreground i "
     "include-children k kill m monitor-forks r restore q quiet v verbose z lazy"},
    /* ---- launchers by subcommand ---- */
    {"docker podman nerdctl", "exec", LAUNCHER, 1, 0, CONTAINER},
    {"docker podman nerdctl", "container exec", LAUNCHER, 1, 0, CONTAINER},
    {"docker podman nerdctl", "compose exec", LAUNCHER, 1, 0, CONTAINER},
    {"docker podman nerdctl", "run", LAUNCHER, 1, 0, CONTAINER_RUN},
    {"docker podman nerdctl", "container run", LAUNCHER, 1, 0, CONTAINER_RUN},
    {"docker podman nerdctl", "compose run", LAUNCHER, 1, 0, CONTAINER_RUN},
    {"docker-compose podman-compose", "exec", LAUNCHER, 1, 0, CONTAINER},
    {"docker-compose podman-compose", "run", LAUNCHER, 1, 0, CONTAINER_RUN},
    {"kubectl oc", "exec", LAUNCHER, 1, 0, KUBERNETES},
    {"kubectl oc", "run", LAUNCHER, 1, 0, KUBERNETES},
    {"ip", "netns exec", LAUNCHER, 1, 0,
     "4 6 B M 0 V n= netns= f= family= s stats d details o oneline N Numeric a all c b= batch="},
    {"ip", "vrf exec", LAUNCHER, 1, 0, "4 6 n= netns="},
    {"lxc incus", "exec", LAUNCHER, 1, 0,
     "cwd= env= group= user= mode= t T force-interactive force-noninteractive n "
     "disable-stdin project="},
    {"machinectl", "shell", LAUNCHER, 1, 0, "M= H= uid= E= setenv= q quiet"},
    {"lxc-attach", NULL, LAUNCHER, 0, 0,
     "n= name= e elevated-privileges s= namespaces= R remount-sys-proc keep-env clear-env v= "
     "set-var= keep-var= u= uid= g= gid= c= context= a= arch= f= rcfile= P= lxcpath="},
    {"npm pnpm yarn", "exec", LAUNCHER, 0, 0,
     "y yes no p= package= c! call! w= workspace= prefix="},
    {"npx bunx pnpx", NULL, LAUNCHER, 0, 0, "y yes no no-install p= package= c! call! q quiet"},
    {"uv", "run", LAUNCHER, 0, 0,
     "with= with-requirements= p= python= m isolated no-project no-sync frozen locked offline q "
     "quiet directory= project= env-file= extra= group= package= index="},
    {"uvx", NULL, LAUNCHER, 0, 0, "from= with= p= python= isolated offline q quiet index="},
    {"pipx poetry pipenv", "run", LAUNCHER, 0, 0, "spec= python= no-cache C= directory= q quiet v"},
    {"conda mamba micromamba", "run", LAUNCHER, 0, 0,
     "n= name= p= prefix= v verbose no-capture-output live-stream cwd= dev"},
    {"bundle", "exec", LAUNCHER, 0, 0, "keep-file-descriptors gemfile="},
    {"opam", "exec", LAUNCHER, 0, 0, "switch= root= set-root set-switch"},
    {"nix", "run", LAUNCHER, 1, 0, "extra-experimental-features= impure"},
    {"direnv", "exec", LAUNCHER, 1, 0, ""},
    {"perf", "stat", LAUNCHER, 0, 0, "e= event= r= repeat= o= output= x= d detailed a v I="},
    {"perf", "record", LAUNCHER, 0, 0, "e= event= F= freq= g o= output= a c= call-graph="},
    /* ---- a shell evaluates the words ---- */
    {"ssh rsh slogin autossh", NULL, JOINER, 1, 0,
     "4 6 A a B= b= C c= D= E= e= F= f G g I= i= J= K k L= l= M m= N n O= o! P= p= Q= q R= S= s T "
     "t V v vv vvv W= w= X x Y y"},
    {"mosh", NULL, JOINER, 1, 0, "a n p= port= ssh! server! client! predict= no-init 4 6"},
    {"watch", NULL, JOINER, 0, COMMON,
     "n= interval= d differences c color C no-color t no-title b beep e errexit g chgexit p "
     "precise q= equexit= r no-rerun w no-wrap x% exec%"},
    {"parallel", NULL, JOINER, 0, COMMON | FEEDS,
     "j= jobs= k keep-order a= arg-file= n= N= max-args= d= delimiter= I= C= colsep= X m 0 null r "
     "no-run-if-empty t verbose S= sshlogin= tag will-cite bar eta q quote progress joblog= "
     "results= timeout= halt= retries= u ungroup L= P= dry-run pipe"},
    /* an address "EXEC:PROGRAM" */
    {"socat", NULL, JOINER, 0, 0,
     "d dd ddd D v x u U s g 4 6 b= t= T= L= W= l= lf= lp= ly= lm= lu lh r= R= S="},
    {"hyperfine", NULL, CODE, 0, 0, ""},
    {"watchexec nodemon pm2", NULL, CODE, 0, 0, ""},
    {"eval", NULL, CODE, 0, 0, ""},
    {"tmux screen", NULL, CODE, 0, 0, ""},
    {"xterm gnome-terminal konsole", NULL, CODE, 0, 0, ""},
    {"script", NULL, CODE, 0, COMMON, ""},
    {"su runuser sg newgrp", NULL, CODE, 0, STDIN, ""},
    {"at batch", NULL, CODE, 0, STDIN | COMMON, ""},
    {"crontab", NULL, TEXT, 0, STDIN, ""},
    {"make gmake bmake", NULL, CODE, 0, COMMON, ""},
    {"vim vi nvim ex view rvim ed red emacs", NULL, CODE, 0, COMMON | STDIN, ""},
    {"expect", NULL, INTERPRETER, 0, COMMON, "c! f@ d D= i n N b@"},
    {"cmd powershell pwsh", NULL, CODE, 0, STDIN, ""},
    /* ---- interpreters ---- */
    {"sh bash dash ash zsh ksh mksh lksh pdksh yash posh rbash rzsh hush", NULL, INTERPRETER, 0,
     PLUS,
     "c^ s< a b e f h i l m n p r t u v x B C E H P T D O= o= k debug debugger dump-po-strings "
     "dump-strings init-file= rcfile= login noediting noprofile norc posix restricted verbose "
     "no-rcs no-globalrcs"},
    {"fish", NULL, INTERPRETER, 0, 0,
     "c! command! C! init-command! d= debug= i interactive l login n no-execute N no-config P "
     "private p= profile= o= debug-output= f= features="},
    {"csh tcsh", NULL, INTERPRETER, 0, 0, "c! b d e f i l m n q s< t v V x X"},
    {"rc es elvish nu xonsh osh ysh oil", NULL, INTERPRETER, 0, COMMON,
     "c! commands! e i l n p s v x norc stdin no-config-file"},
    {"python pypy ipython pythonw micropython", NULL, INTERPRETER, 0, STOPS,
     "c! m@ b bb B d E h i I O OO P q s S u v V W= x X= check-hash-based-pycs="},
    {"perl", NULL, INTERPRETER, 0, OPENS,
     "e! E! a c C d D= f F= g h i I= l m= M= n p s S t T u U v V w W x X 0"},
    {"ruby jruby truffleruby", NULL, INTERPRETER, 0, 0,
     "e! 0 a c C= d E= F= h i I= l n p r= s S T U v w W x X= y encoding= external-encoding= "
     "internal-encoding= enable= disable= verbose yjit jit"},
    {"irb", NULL, INTERPRETER, 0, 0, "d E= f I= r= U w W noecho inspect noinspect noreadline"},
    {"ocaml", NULL, INTERPRETER, 0, LONG, "e! I= init@ noinit noprompt nostdlib stdin< w= open="},
    {"runghc runhaskell", NULL, INTERPRETER, 0, 0, "f= ghc-arg= e!"},
    {"node nodejs", NULL, INTERPRETER, 0, COMMON,
     "e! eval! p! print! c check i interactive r= require= import= C= conditions= input-type= "
     "loader= experimental-loader= env-file= h v no-warnings no-deprecation trace-warnings "
     "test inspect inspect-brk enable-source-maps"},
    {"tsx ts-node", NULL, INTERPRETER, 0, 0,
     "e! eval! p! print! r= require= import= P= project= tsconfig= T transpile-only watch"},
    {"java", NULL, INTERPRETER, 0, LONG,
     "jar@ m@ module@ cp= classpath= class-path= p= module-path= add-modules= add-opens= "
     "add-exports= source= ea esa server client version showversion"},
    {"mono dotnet", NULL, INTERPRETER, 0, 0, "debug roll-forward= fx-version= depsfile="},
    {"deno", "eval", CODE, 0, 0, ""},
    {"deno", "run", INTERPRETER, 0, 0,
     "A allow-all R W N E S allow-read allow-write allow-net allow-env allow-run q quiet "
     "no-check c= config= import-map= lock= r reload"},
    {"bun", NULL, INTERPRETER, 0, COMMON, "e! eval! p! print! b bun cwd= r= preload= env-file="},
    {"php", NULL, INTERPRETER, 0, 0, "r! B! R! E! a c= d! e f@ F@ i l m n q s t= v w z= S="},
    {"lua luajit texlua", NULL, INTERPRETER, 0, 0, "e! l= i v E W j= O= b="},
    {"tclsh wish", NULL, INTERPRETER, 0, 0, "encoding="},
    {"guile", NULL, INTERPRETER, 0, 0, "c! e= s@ l= L= C= x= q debug no-debug"},
    {"racket", NULL, CODE, 0, STDIN, ""},
    {"clisp sbcl ecl csi gsi emacsclient", NULL, CODE, 0, STDIN, ""},
    {"Rscript", NULL, INTERPRETER, 0, 0, "e! verbose vanilla default-packages= no-save"},
    {"R", NULL, CODE, 0, STDIN, ""},
    {"julia", NULL, INTERPRETER, 0, 0,
     "e! E! L= p= t= threads= O optimize J= sysimage= project q quiet i startup-file= H= home= g= "
     "C= m@"},
    {"elixir iex", NULL, INTERPRETER, 0, 0, "e! eval! r= S@ pa= pz= rpc-eval! name= sname= erl="},
    {"erl escript", NULL, CODE, 0, 0, ""},
    {"osascript", NULL, INTERPRETER, 0, 0, "e! l= s= i"},
    {"jshell groovy scala kotlin swift ghci", NULL, CODE, 0, STDIN, ""},
    {"psql", NULL, INTERPRETER, 1, MIXES,
     "c! command! f@ file@ d: dbname: h: host: p: port: U: username: v! set! variable! t "
     "tuples-only A no-align q quiet w no-password W password x expanded X no-psqlrc 1 "
     "single-transaction a echo-all b e E n s S l list csv H html P= pset= F= field-separator= R= "
     "record-separator= o! output! L= log-file= T= z 0"},
    {"mysql mariadb", NULL, INTERPRETER, 1, MIXES,
     "e! execute! init-command! D: database: h: host: P: port: u: user: p password B batch N "
     "skip-column-names s silent r raw t table H html X xml v verbose E vertical f force "
     "pager! tee= defaults-file= defaults-extra-file= S= socket= protocol= ssl-mode= A G C q w"},
    {"sqlite", NULL, EVALUATOR, 1, MIXES | LONG,
     "cmd! init@ A append ascii bail batch box column csv deserialize echo header noheader html "
     "interactive json line list lookaside= markdown maxsize= memtrace mmap= newline: nofollow "
     "nonce= nullvalue: pagecache= pcachetrace quote readonly safe separator: stats table tabs "
     "unsafe-testing version vfs= zip"},
    {"duckdb", NULL, EVALUATOR, 1, MIXES | LONG,
     "c! cmd! s! init@ f@ ascii bail batch box column csv echo header noheader html interactive "
     "json line list markdown newline: no-stdin nullvalue: quote readonly separator: stats table "
     "unsigned version unredacted"},
    {"redis-cli", NULL, EVALUATOR, 0, 0,
     "h: p: s= a= u= n: r: i: d: D: x X= c e tls raw no-raw csv json eval@ user: pass= verbose 3 "
     "2"},
    {"awk gawk mawk nawk original-awk bwk", NULL, EVALUATOR, 0, 0,
     "F: field-separator: v: assign: f@ file@ E@ exec@ i= include= l= load= e! source! b c C d D "
     "g h I k L M n N o O p P r s S t V W= csv re-interval posix traditional sandbox bignum"},
    {"sed gsed", NULL, EVALUATOR, 0, MIXES,
     "e! expression! f@ file@ E r regexp-extended n quiet silent i in-place s separate u "
     "unbuffered z null-data l: line-length: b binary posix debug sandbox follow-symlinks"},
    {"m4 gnuplot octave", NULL, CODE, 0, STDIN, ""},
    {"swipl gprolog prolog chezscheme scheme gforth maxima", NULL, CODE, 0, COMMON | STDIN, ""},
    {"bc dc", NULL, TEXT, 0, STDIN, ""},
    {"find gfind", NULL, HAFT__PROGRAM_FIND, 0, COMMON, ""},
    {"jq", NULL, EVALUATOR, 0, MIXES | WARNS,
     "r raw-output c compact-output n null-input s slurp R raw-input e exit-status a ascii-output "
     "S sort-keys j join-output C color-output M monochrome-output f@ from-file@ L= arg; argjson; "
     "slurpfile; rawfile; args jsonargs tab indent: seq stream"},
    {"yq", "eval|e|eval-all|ea", EVALUATOR, 0, MIXES | WARNS,
     "r unwrapScalar n null-input j o: output-format: p: input-format: P prettyPrint i inplace N "
     "no-doc C M e exit-status I: indent: from-file@"},
    {"yq", NULL, EVALUATOR, 0, MIXES | WARNS,
     "r unwrapScalar raw-output c n null-input j y o: output-format: p: input-format: P "
     "prettyPrint i inplace N no-doc C M e exit-status I: indent: from-file@ arg; argjson;"},
    /* ---- text, except a few options ---- */
    {"fd fdfind", NULL, TEXT, 0, 0,
     "x! exec! X! exec-batch! e: extension: t: type: E: exclude: d: max-depth: H hidden I "
     "no-ignore i s g glob F fixed-strings a p l 0 L 1"},
    {"tar gtar bsdtar", NULL, TEXT, 0, BUNDLE,
     "I! use-compress-program! F! info-script! new-volume-script! to-command! "
     "checkpoint-action! rsh-command! rmt-command! T@ files-from@ c create x extract get t list r "
     "append u update A d diff f: file: C: directory: v verbose z gzip j bzip2 J xz Z compress "
     "zstd a auto-compress p P k keep-old-files m h w O to-stdout W S exclude: strip-components: "
     "wildcards no-wildcards same-owner no-same-owner X: exclude-from: transform="},
    {"rsync", NULL, TEXT, 0, 0,
     "e! rsh! rsync-path! a archive v verbose z compress r recursive n dry-run P h progress delete "
     "l p t g o D H A X u x q c i L R S stats exclude: include: partial"},
    {"scp", NULL, TEXT, 0, 0, "o! S! F! D! J! s= i= P: l: c= r p q C v B 3 4 6"},
    {"sftp ftp lftp ncftp", NULL, TEXT, 0, STDIN, "o! S! F! D! J! s= i= P: l: c! e! b@ f@ r p q C"},
    {"git", "submodule foreach", CODE, 0, 0, GIT},
    {"git", "bisect run", CODE, 0, 0, GIT},
    {"git", "grep", TEXT, 0, 0,
     GIT "O! open-files-in-pager! ext-grep e: n line-number i ignore-case l files-with-matches L c "
         "count w word-regexp E F G P v h H o q A: B: C: f: cached untracked no-index and or not"},
    {"git",
     "log|show|diff|status|blame|shortlog|describe|rev-list|rev-parse|ls-files|ls-tree|cat-file|"
     "show-ref|merge-base|diff-tree|branch|tag|add|rm|mv|commit|checkout|switch|restore|reset",
     TEXT, 0, 0,
     GIT "ext-diff! m: message: n: max-count: # oneline grep: author: since: until: after: before: "
         "committer: format: pretty: p patch u s stat shortstat name-only name-status numstat "
         "graph all decorate follow L: S: G: U: unified: i w b q quiet v verbose short porcelain "
         "cached staged no-color color reverse merges no-merges first-parent contains: merged: "
         "sort: list l a d D t r f force A skip: abbrev-commit raw z"},
    {"git", NULL, TEXT, 0, WARNS,
     GIT "exec! upload-pack! receive-pack! extcmd! x! u! template! tree-filter! index-filter! "
         "msg-filter! env-filter! parent-filter! commit-filter! tag-name-filter! sendmail-cmd! "
         "to-cmd! cc-cmd! header-cmd!"},
    {"sort gsort", NULL, TEXT, 0, 0,
     "compress-program! n numeric-sort r reverse u unique k: key: t: field-separator: f "
     "ignore-case b d g h human-numeric-sort i M R V version-sort c m o: output: s stable S: T: z"},
    {"split", NULL, TEXT, 0, COMMON,
     "filter! l: lines: b: bytes: n: number: C: a: suffix-length: d x t: e additional-suffix:"},
    {"zip", NULL, TEXT, 0, COMMON,
     "-TT! unzip-command! T r recurse-paths q quiet j junk-paths u f d m x: i: P: e y v #"},
    {"man", NULL, TEXT, 0, COMMON, "P! pager! H! html! p! k f a w s: S: K l"},
    {"less more most pg", NULL, CODE, 0, COMMON, ""},
    {"wget", NULL, TEXT, 0, 0,
     "e! execute! use-askpass! config@ q quiet O: output-document: P: directory-prefix: c continue "
     "-nv -nc -nd v t: tries: T: timeout: U: user-agent: header: S spider N k p r l: i: A: R:"},
    {"curl", NULL, TEXT, 0, 0, CURL},
    {"tcpdump", NULL, TEXT, 0, 0, "z! i: n c: r: w: v A X e q t l s: p"},
    {"gcc g++ cc c++ clang clang++", NULL, TEXT, 0, 0,
     "B! -wrapper! -fplugin! -specs! specs! o: I: L: D: U: c g E S w"},
    {"rg", NULL, TEXT, 0, 0,
     "pre! hostname-bin! e: regexp: g: glob: iglob: t: type: T: i ignore-case n line-number N l "
     "files-with-matches c count v invert-match w word-regexp F fixed-strings A: B: C: context: m: "
     "max-count: d: max-depth: o s S smart-case u H h I P U x 0 a q hidden no-ignore json files "
     "no-heading heading color: sort: no-config"},
    {"ag ack zgrep", NULL, TEXT, 0, 0, "pager! i n l c v w A: B: C: m: h H"},
    {"pandoc", NULL, TEXT, 0, 0,
     "F! filter! L! lua-filter! pdf-engine! d@ defaults@ f: from: t: to: r: w: o: output: s "
     "standalone M: metadata: V: toc wrap: columns: template="},
    {"rpm", NULL, TEXT, 0, SUBCOMMAND, "eval! E! pipe! D! define! q query qi qa ql a l i"},
    {"journalctl", NULL, TEXT, 0, 0,
     "u: unit: user-unit: n: lines: S: since: U: until: p: priority: g: grep: t: identifier: o: "
     "output: f follow r reverse x b boot k dmesg e q quiet a user system no-pager utc"},
    {"gcloud", NULL, TEXT, 0, SUBCOMMAND, "command! q quiet format: project: zone: region:"},
    {"systemctl loginctl apt-cache dpkg-query gh aws openssl", NULL, TEXT, 0, SUBCOMMAND,
     "no-pager user system quiet"},
    {"go cmake cargo ctest ninja meson bazel gradle mvn sbt ant lein scons rake just apt apt-get "
     "dpkg dnf yum pip gem terraform ansible helm rustc javac patch npm pnpm yarn pytest tox nox",
     NULL, TEXT, 0, WARNS, ""},
    /* a file name such as "|id", "msl:x" or "\\input x", or a file of code */
    {"convert magick identify mogrify composite montage conjure latex pdflatex xelatex lualatex "
     "tex pdftex xetex luatex gs ghostscript xdg-open open",
     NULL, TEXT, 0, WARNS, ""},
    {"grep egrep fgrep", NULL, TEXT, 0, HARMLESS,
     "e: regexp: f: file: m: max-count: A: after-context: B: before-context: C: context: include: "
     "exclude: exclude-dir: exclude-from: d: D: label: i ignore-case n line-number r R recursive l "
     "L c count v invert-match w word-regexp x o only-matching q s h H E F G P a z # color"},
    {"head tail", NULL, TEXT, 0, HARMLESS,
     "n: lines: c: bytes: s: sleep-interval: pid: q quiet silent v verbose z f F retry #"},
    {"cut", NULL, TEXT, 0, HARMLESS,
     "d: delimiter: f: fields: b: bytes: c: characters: output-delimiter: s z complement"},
    {"pgrep wc uniq tr cat tac nl ls dir stat file du df echo "
     "printf "
     "basename dirname realpath readlink cp mv rm mkdir rmdir touch ln chmod chown test date cal "
     "seq sleep paste join comm diff cmp md5sum sha1sum sha256sum sha512sum cksum b2sum base64 "
     "base32 xxd od hexdump strings ping traceroute dig host nslookup whois gzip gunzip zcat xz "
     "bzip2 unzip zstd column fold fmt expand id who whoami groups uname hostname uptime free ps "
     "kill pidof which whereis locate tee tree pwd true false pdftotext pdfinfo",
     NULL, TEXT, 0, HARMLESS, ""},
};

const haft__program haft__program_unknown = {
    "",
    NULL,
    TEXT,
    0,
    0,
    "c! e! E! eval! exec! execute! command! cmd! code! expression! expr! shell! run! "
    "script! sql! query! hook! filter!"};

/* ---- names ---- */

const haft__program *haft__program_at(size_t at)
{
    return at < COUNT(programs) ? &programs[at] : NULL;
}

static haft_str base_name(haft_str path)
{
    haft_str name = path;
    for (haft_str rest = path; rest.len > 0;) {
        name = haft__str_split(&rest, '/');
    }
    return name;
}

/* "python3.11" is python, "bash-5.2" is bash. */
static haft_str without_version(haft_str name)
{
    while (name.len > 0
           && (haft__ascii_is_digit(name.ptr[name.len - 1]) || name.ptr[name.len - 1] == '.'
               || name.ptr[name.len - 1] == '-')) {
        name.len--;
    }
    return name;
}

bool haft__program_has_name(const haft__program *program, haft_str word)
{
    haft_str name = base_name(word), plain = without_version(name),
             rest = haft__str(program->names);
    while (rest.len > 0) {
        haft_str one = haft__str_split(&rest, ' ');
        if (haft__str_equal(one, name) || (plain.len > 0 && haft__str_equal(one, plain))) {
            return true;
        }
    }
    return false;
}

/* ---- options ---- */

bool haft__word_is_dashes(haft_str word)
{
    return haft__str_equal(word, HAFT__LIT("--"));
}

bool haft__word_is_option(haft_str word)
{
    return word.len > 1 && word.ptr[0] == '-' && !haft__word_is_dashes(word);
}

/* Removes the effect from the end of an entry of the table, and returns it. */
static haft__option_effect split_effect(haft_str *entry)
{
    char last = entry->ptr[entry->len - 1];
    if (entry->len == 1 || strchr("=:;!@^%<", last) == NULL) {
        return HAFT__OPTION_FLAG;
    }
    entry->len--;
    return (haft__option_effect)last;
}

/* The effect of the option `name`, which has no dashes and no value. A long name may be
 * abbreviated. */
static haft__option_effect find_option(const haft__program *program, haft_str name)
{
    haft__option_effect abbreviated = HAFT__OPTION_UNKNOWN;
    for (haft_str rest = haft__str(program->options); rest.len > 0;) {
        haft_str entry = haft__str_split(&rest, ' ');
        if (entry.len == 0) {
            continue;
        }
        haft__option_effect effect = split_effect(&entry);
        if (haft__str_equal(entry, name)) {
            return effect;
        }
        if (abbreviated == HAFT__OPTION_UNKNOWN && name.len > 2
            && haft__str_starts_with(entry, name)) {
            abbreviated = effect;
        }
    }
    return abbreviated;
}

bool haft__option_has_value(haft__option_effect effect)
{
    return effect == HAFT__OPTION_VALUE || effect == HAFT__OPTION_DATA
           || effect == HAFT__OPTION_PAIR || effect == HAFT__OPTION_CODE
           || effect == HAFT__OPTION_SCRIPT;
}

static haft__option_effect long_option(const haft__program *program, haft_str name, bool *ret_next)
{
    haft_str rest = name, key = haft__str_split(&rest, '=');
    bool letter = key.len == 1 && (program->flags & HAFT__PROGRAM_LONG) == 0; /* no short option */
    haft__option_effect effect = letter ? HAFT__OPTION_UNKNOWN : find_option(program, key);
    *ret_next = haft__option_has_value(effect) && key.len == name.len;
    return effect;
}

/* The effect of an option with one dash, of a program whose long options have two: "-wrapper". */
static haft__option_effect dashed_option(const haft__program *program, haft_str word,
                                         bool *ret_next)
{
    haft_str rest = word, key = haft__str_split(&rest, '=');
    for (rest = haft__str(program->options); key.len > 2 && rest.len > 0;) {
        haft_str entry = haft__str_split(&rest, ' ');
        haft__option_effect effect = entry.len > 0 ? split_effect(&entry) : HAFT__OPTION_UNKNOWN;
        if (haft__str_equal(entry, key)) {
            *ret_next = haft__option_has_value(effect) && key.len == word.len;
            return effect;
        }
    }
    return HAFT__OPTION_UNKNOWN;
}

haft__option_effect haft__program_letter(const haft__program *program, char letter)
{
    return find_option(program, (haft_str){&letter, 1});
}

/* The effect of "-abc": flags, and at most one option with a value, which is the rest of the word
 * or the next word. */
static haft__option_effect short_options(const haft__program *program, haft_str letters,
                                         bool *ret_next)
{
    haft__option_effect all = HAFT__OPTION_FLAG;
    for (size_t i = 0; i < letters.len; i++) {
        haft__option_effect effect = find_option(program, (haft_str){letters.ptr + i, 1});
        if (haft__option_has_value(effect)) {
            *ret_next = i + 1 == letters.len;
            return effect;
        }
        if (effect != HAFT__OPTION_FLAG && all != HAFT__OPTION_UNKNOWN) {
            all = effect;
        }
    }
    return all;
}

static bool is_number(haft_str text)
{
    size_t digits = 0;
    while (digits < text.len && haft__ascii_is_digit(text.ptr[digits])) {
        digits++;
    }
    return text.len > 0 && digits == text.len;
}

haft__option_effect haft__program_option(const haft__program *program, haft_str word,
                                         bool *ret_next)
{
    haft_str name = haft__str_skip(word, haft__str_starts_with(word, HAFT__LIT("--")) ? 2 : 1);
    *ret_next = false;
    if (is_number(name) && find_option(program, HAFT__LIT("#")) == HAFT__OPTION_FLAG) {
        return HAFT__OPTION_FLAG;
    }
    if (word.len - name.len == 2 || (program->flags & HAFT__PROGRAM_LONG) != 0) {
        return long_option(program, name, ret_next);
    }
    haft__option_effect dashed = dashed_option(program, word, ret_next);
    return dashed != HAFT__OPTION_UNKNOWN ? dashed : short_options(program, name, ret_next);
}
